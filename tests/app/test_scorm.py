"""SCORM packages without a browser (`tokensteps/site/scorm.py`); `tests/browser/test_scorm.py` has them in a
platform.

Oracles: Python's readers of ZIP and XML; the elements required by the standard in a manifest, in their order
(IMS Content Packaging, and ADL's attributes of each version).
"""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import pytest

from tests.hostile import hostile
from tokensteps.language.i18n import use_language
from tokensteps.site.layout import SitePage
from tokensteps.site.practice import sets_of
from tokensteps.site.scorm import MANIFEST, SCORM_VERSIONS, exercises_page, scorm_package

SPACES = {
    "1.2": (
        "{http://www.imsproject.org/xsd/imscp_rootv1p1p2}",
        "{http://www.adlnet.org/xsd/adlcp_rootv1p2}scormtype",
    ),
    "2004": ("{http://www.imsglobal.org/xsd/imscp_v1p1}", "{http://www.adlnet.org/xsd/adlcp_v1p3}scormType"),
}


def manifest_of(package: bytes) -> tuple[ElementTree.Element, set[str]]:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        assert archive.testzip() is None and archive.namelist()[0] == MANIFEST
        return ElementTree.fromstring(archive.read(MANIFEST)), {*archive.namelist()} - {MANIFEST}


@pytest.mark.parametrize("version", SCORM_VERSIONS)
def test_a_manifest_names_all_files_and_the_page_to_begin_with(version: str) -> None:
    use_language("ja")
    try:
        page = exercises_page(
            [one for result in sets_of("viterbi", 1).values() for one in result], "練習 <1>"
        )
        package = scorm_package(page, version)
        assert package == scorm_package(page, version)
    finally:
        use_language("en")
    root, there = manifest_of(package)
    space, kind = SPACES[version]
    assert [one.tag.removeprefix(space) for one in root] == ["metadata", "organizations", "resources"]
    assert root.find(f"{space}metadata/{space}schema").text == "ADL SCORM"  # type: ignore[union-attr]
    [organization] = root.findall(f"{space}organizations/{space}organization")
    assert [one.tag.removeprefix(space) for one in organization] == ["title", "item"]
    assert organization[0].text == "練習 <1>"
    [resource] = root.findall(f"{space}resources/{space}resource")
    assert organization[1].get("identifierref") == resource.get("identifier")
    assert resource.get(kind) == "sco" and resource.get("href") == "ja/exercises.html"
    assert {one.get("href") for one in resource} == there and "assets/scorm.js" in there


@pytest.mark.parametrize("version", SCORM_VERSIONS)
def test_any_title_gives_a_readable_manifest(version: str) -> None:
    texts = [one.text for one in hostile(60)]
    for title in ("", *texts[:3], "\n".join(texts)):
        root, _files = manifest_of(scorm_package(SitePage("lesson.html", title, "<p>"), version))
        assert len([tag for tag in root.iter() if tag.tag.endswith("}title")]) == 2


def test_exercises_that_a_page_cannot_check_are_left_out() -> None:
    assert 'class="box task"' not in exercises_page(sets_of("construct", 2)[1], "x").body
    assert exercises_page(sets_of("bpe_pair", 2)[1], "x").body.count('class="box task"') == 2
