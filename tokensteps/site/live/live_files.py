"""The page “Try”: files from elsewhere (Pyodide, from its npm package), and the engine and the drawing as
they are.

All of it is two scripts, so that the page works from `file://`, too, where a browser fetches nothing: one is
the page's worker, the other has each file under gzip and base64, and passes them to the page.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Final

from tokensteps.assets import ASSETS, PACKAGES, read_asset
from tokensteps.site.shared import classic

PYODIDE: Final = "314.0.7"
PYODIDE_SHA512: Final = (
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
"""The digest of the npm package in this version, as npm writes it: no other package gets into a site."""
PROGRAMS: Final = ("pyodide.js", "pyodide.asm.mjs")
"""The package's programs for the worker."""
NEEDED: Final = ("pyodide.asm.wasm", "python_stdlib.zip")
"""The package's data for the worker."""
LOCK: Final = "pyodide-lock.json"
NPM_SECONDS: Final = 300
"""How long npm may take for 6.5 MB."""
CARRIED: Final = (
    "tokenizers_core", "tokensteps/language", "tokensteps/drawing", "tokensteps/site/live", "tokensteps/runs/rules.py",
    *(f"tokensteps/{name}.py" for name in ("__init__", "version", "assets", "limits", "bounded")),
    *(f"tokensteps/{room}/__init__.py" for room in ("runs", "site")),
)  # fmt: skip
"""Our own code for the browser: folders and files."""
STAND_IN: Final = "tokensteps/site/live/regexp.py"
LIVE: Final = "live.js"
WORKER: Final = "live-worker.js"
TRY: Final = "try.js"


class PackageError(Exception):
    """Pyodide's package is missing, or is another one. A sentence for the site's builder."""


def npm_package() -> bytes:
    """Pyodide's package, from npm's registry. Raises PackageError with a way to do without."""
    wanted = f"pyodide@{PYODIDE}"
    remedy = f"Leave out --live, or give the package as a file: --pyodide FILE. “npm pack {wanted}” makes one where the registry can be reached."
    npm = shutil.which("npm")
    if npm is None:
        raise PackageError(f"npm isn't here, which gets the page “Your own text” its {wanted}. {remedy}")
    with TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [npm, "pack", wanted, "--silent", "--pack-destination", folder],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=NPM_SECONDS,
                check=False,
            )
            results = [*Path(folder).glob("*.tgz")]
            if done.returncode == 0 and results:
                return results[0].read_bytes()
            said = done.stderr
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
    raise PackageError(
        f"npm's registry could not be reached for {wanted}. {remedy}\n{said.strip()[-500:]}".strip()
    )


def pyodide_package(package: bytes) -> bytes:
    """Pyodide's package. Raises PackageError if it is another one, or not all of it."""
    if base64.b64encode(hashlib.sha512(package).digest()).decode() != PYODIDE_SHA512:
        raise PackageError(
            f"The package isn't npm's package of pyodide {PYODIDE}, or not all of it. “npm pack pyodide@{PYODIDE}” makes one."
        )
    return package


def live_files(package: bytes) -> Iterator[tuple[str, str]]:
    """Each file's name in the folder `assets/` of a site, with its text; `package` is Pyodide's."""
    with tarfile.open(fileobj=io.BytesIO(package), mode="r:gz") as members:
        results = {
            name: members.extractfile(f"package/{name}")
            for name in (*PROGRAMS, *NEEDED, LOCK, "package.json")
        }
        data = {name: file.read() for name, file in results.items() if file is not None}
    about = json.loads(data["package.json"])
    lock = json.loads(data[LOCK]) | {"packages": {}}
    yield TRY, try_script()
    yield WORKER, worker_script(*(data[name].decode("utf-8") for name in PROGRAMS))
    yield LIVE, live_script({name: data[name] for name in NEEDED}, json.dumps(lock))
    yield "live-NOTICE.txt", notice(about["license"], about["repository"]["url"])


def try_script() -> str:
    """The page's own script."""
    return classic("flipbook", "site/live/try.js") + classic("terms", "handout/run-terms.js")


def worker_script(loader: str, module: str, ours: Iterable[str] = ("regexp", "worker")) -> str:
    """The page's worker, as a classic script: from `file://`, a browser runs no module in a worker."""
    module = module.replace("export default ", "globalThis.createPyodideModule = ")
    parts = (
        loader,
        module.replace("import.meta.url", '""'),
        *(read_asset(f"site/live/{name}.js") for name in ours),
    )
    return Template(read_asset("site/live/in-worker.js")).substitute(script="\n".join(parts))


def notice(licence: str, sources: str) -> str:
    """The script's contents, their owners, and the place of their sources."""
    return (
        f"{LIVE} and {WORKER} hold Pyodide {PYODIDE} as its npm package has it, with CPython in it, beside TokenSteps itself.\n"
        f"Pyodide's license: {licence}. CPython's license: PSF-2.0. Pyodide's sources: {sources}\n"
    )


def live_script(runtime: dict[str, bytes], lock: str) -> str:
    """The script with all of the worker's files, for the page."""
    files = {**runtime, "tokensteps.zip": archive()}
    handed = {"lock": lock, "files": {name: in_base64(data) for name, data in files.items()}}
    return f"tokenstepsParts({json.dumps(handed)});\n"


def in_base64(data: bytes) -> str:
    """A file as text, in base64 under gzip."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def archive() -> bytes:
    """Our own code for the browser, as a zip archive: sources, catalogues, and the stand-in under the name
    `regex`."""
    paths = [path for index in CARRIED for path in sources_in(PACKAGES / index)]
    files = {path.relative_to(PACKAGES).as_posix(): path for path in paths}
    files |= {
        f"assets/{path.relative_to(ASSETS).as_posix()}": path
        for path in sorted(ASSETS.glob("locale/*/*/*.mo"))
    }
    files["regex.py"] = PACKAGES / STAND_IN
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as members:
        for name, path in files.items():
            entry = zipfile.ZipInfo(name)  # of no time: the same files make the same site
            entry.compress_type = zipfile.ZIP_DEFLATED
            members.writestr(entry, path.read_bytes())
    return packed.getvalue()


def sources_in(path: Path) -> list[Path]:
    """The sources of a folder and its subfolders, or the one file."""
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]
