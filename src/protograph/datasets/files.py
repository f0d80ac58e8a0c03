"""Files downloaded and checked: whole, or with one clear error."""

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from urllib.parse import urlsplit

from protograph._base.files import atomic_path
from protograph._base.progress import Progress

# What gzip, zipfile and torch raise on files cut short, overwritten or of another format.
DAMAGE = (zipfile.BadZipFile, zlib.error, UnpicklingError, EOFError, KeyError, OSError, ValueError, RuntimeError)


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Turn what a damaged file makes its reader raise into a ``ValueError`` that names the file.

    >>> with reading(Path("some.zip")):
    ...     raise EOFError("no data left")
    Traceback (most recent call last):
    ValueError: some.zip cannot be read (EOFError: no data left); it is damaged or another file, get it again
    """
    try:
        yield
    except DAMAGE as error:
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}: {error}); it is damaged or another file, get it again"
        ) from error


def check_sum(content: bytes, sha256: str | None, what: str, way_out: str = "get the file again") -> None:
    """Check that a content has the wanted SHA-256 checksum; any will do where it is ``None``.

    Raises:
        ValueError: If it has another; the message begins with ``what``.
    """
    got = hashlib.sha256(content).hexdigest() if sha256 is not None else None
    if got != sha256:
        raise ValueError(f"{what} must have the SHA-256 checksum {sha256} when unpacked, got {got}; {way_out}")


CHUNK = 1 << 16
# The largest file that is downloaded has less than 1 GB.
MOST_DOWNLOADED = 1 << 32


def download(url: str, path: Path, check: Callable[[Path], object], progress: Progress) -> None:
    """Download a file to ``path``; whatever goes wrong, nothing is left of it.

    Args:
        url: An ``https`` address; ``http`` is for this machine only.
        path: Where the file goes; folders are made.
        check: Called with the received file before it goes to ``path``; raises ``ValueError`` if it is not right.
        progress: Called with the stage, the bytes received and the bytes in all.

    Raises:
        ConnectionError: If it cannot be downloaded.
        ValueError: If it is not what ``check`` wants.
        OSError: If it cannot be written.
    """
    # Imported here: who has the files needs neither.
    from pooch import HTTPDownloader
    from requests import RequestException

    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary, ExitStack() as held:
        receive = HTTPDownloader(
            progressbar=_Bar(f"downloading {path.name}", progress),
            chunk_size=CHUNK,
            # pooch leaves an answer open that is not read to its end.
            hooks={"response": lambda response, **_: _checked(held.enter_context(response))},
        )
        try:
            receive(url, str(temporary), None)
        except (RequestException, ConnectionError) as error:
            raise ConnectionError(
                f"{url} could not be downloaded ({_reason(error)}); try again later, put the file at {path} by hand, "
                f"or name a folder that has it with PROTOGRAPH_DATA, root= or --data-root"
            ) from error
        check(temporary)


def _checked(response: Any) -> Any:
    """An answer that nobody on the way can have changed, such as one after a redirect may be, before it is read."""
    parts = urlsplit(response.url)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1"):
        raise ConnectionError(f"it leads to {response.url}, which is not https")
    return response


def _reason(error: BaseException) -> str:
    """The reason in a few words, from below the layers that wrap it."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"HTTP {response.status_code} {response.reason}"
    while error.__context__ is not None:
        error = error.__context__
    return str(error)


class _Bar:
    """A progress bar as pooch wants one, which calls ``progress``."""

    total = 0

    def __init__(self, stage: str, progress: Progress) -> None:
        self._stage, self._progress = stage, progress
        self._done = 0

    def update(self, num_bytes: int) -> None:
        self._done += num_bytes
        if self._done > MOST_DOWNLOADED:
            raise ConnectionError(f"it has more than {MOST_DOWNLOADED:,} bytes")
        # pooch counts whole chunks, and has a total of 0 where it is not told one.
        self._progress(self._stage, min(self._done, self.total or self._done), self.total or None)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        """Nothing is drawn here, so nothing is to be closed."""
