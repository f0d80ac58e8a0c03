"""Files downloaded whole or not at all, and gone on with where an earlier try stopped."""

import gzip
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from filelock import FileLock

from protograph._base.progress import Progress, shown
from protograph.datasets.archives import reading

TIMEOUT = 30.0
# Seconds before each further try after a connection that broke off.
BACK_OFF = (0.5, 1.0, 2.0)
CHUNK = 1 << 16
GZIP_MAGIC = b"\x1f\x8b"


def download(
    url: str,
    path: Path,
    *,
    sha256: str | None = None,
    progress: Progress | None = None,
    check: Callable[[Path], None] | None = None,
) -> Path:
    """Download a file to ``path``, unless it is there and whole.

    It is received as ``path`` with ``.part`` at the end, which stays after an interruption, and the next try asks only
    for the rest. Of several processes that want the same file one downloads it, and the others wait for it.

    Args:
        url: An ``https`` address; ``http`` is for this machine only.
        path: Where the file goes; folders are made.
        sha256: Checksum of the file, or if it is gzipped of what is packed in it; ``None`` where it is not known.
        progress: Called with the stage, the bytes received and the bytes in all; bars on a terminal if ``None``.
        check: Called with the received file before it goes to ``path``; raises ``ValueError`` if it is not right.

    Raises:
        ConnectionError: If it cannot be downloaded.
        ValueError: If what was received has another checksum, or ``url`` is not ``https``.
        OSError: If it cannot be written.
    """
    if not is_safe(url):
        raise ValueError(f"url must begin with https://, got {url}; use an https address")
    with _naming(path):
        if _is_right(path, sha256, check):
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{path.name}.lock")):
            # Another process may have downloaded it while this one waited.
            if not _is_right(path, sha256, check):
                _download(url, path, sha256, progress, check)
    return path


def is_safe(url: str) -> bool:
    """Whether nobody on the way can change what is downloaded: ``https``, or this machine.

    >>> is_safe("https://example.org/a"), is_safe("http://example.org/a"), is_safe("http://localhost:80/a")
    (True, False, True)
    """
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1"))


def verify(path: Path, sha256: str | None, origin: str) -> None:
    """Check that a file, or what is gzipped in it, has a checksum; without one only that a gzip file is whole.

    Raises:
        ValueError: If it has not; the message begins with ``origin``.
    """
    with path.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    if got == sha256:
        return
    if is_packed:
        with reading(path), gzip.open(path) as unpacked:
            # mypy does not know that a GzipFile has all that file_digest reads.
            got = hashlib.file_digest(cast(Any, unpacked), "sha256").hexdigest()
    if sha256 is not None and got != sha256:
        raise ValueError(f"{origin} must have the SHA-256 checksum {sha256}, got {got}; get the file again")


class _TroubleError(Exception):
    """The download went wrong for the reason given; ``is_passing`` where it may go well the next time."""

    def __init__(self, reason: object, *, is_passing: bool) -> None:
        super().__init__(str(reason))
        self.is_passing = is_passing


class _SafeRedirects(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if not is_safe(newurl):
            fp.close()
            raise _TroubleError(f"it redirects to {newurl}, which is not https", is_passing=False)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in what the operating system says about writing it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(
            f"cannot write {path}: {error.strerror}; name another folder with PROTOGRAPH_CACHE or --data-root"
        ) from error


def _is_right(path: Path, sha256: str | None, check: Callable[[Path], None] | None) -> bool:
    if not path.is_file():
        return False
    try:
        verify(path, sha256, str(path))
        if check is not None:
            check(path)
    except ValueError:
        return False
    return True


def _download(
    url: str, path: Path, sha256: str | None, progress: Progress | None, check: Callable[[Path], None] | None
) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        with shown(progress) as report:
            _receive(url, part, lambda done, total: report(f"downloading {path.name}", done, total))
    except _TroubleError as error:
        raise ConnectionError(
            f"{url} could not be downloaded ({error}); try again later, put the file at {path} by hand, "
            f"or name a folder that has it with PROTOGRAPH_DATA, root= or --data-root"
        ) from error
    try:
        verify(part, sha256, f"{path.name} from {url}")
        if check is not None:
            check(part)
    except ValueError:
        part.unlink()
        raise
    os.replace(part, path)


def _receive(url: str, part: Path, report: Callable[[int, int | None], object]) -> None:
    """Fill ``part``, trying again where the connection breaks off."""
    for pause in (*BACK_OFF, None):
        try:
            return _receive_once(url, part, report)
        except _TroubleError as error:
            if pause is None or not error.is_passing:
                raise
            time.sleep(pause)


def _receive_once(url: str, part: Path, report: Callable[[int, int | None], object]) -> None:
    size = part.stat().st_size if part.exists() else 0
    response, done, total = _answer(url, size)
    with response, part.open("ab" if done else "wb") as file:
        report(done, total)
        while chunk := _chunk(response):
            file.write(chunk)
            done += len(chunk)
            report(done, total)
    # A connection that is closed early looks like the end of the file to http.client.
    if total is not None and done < total:
        raise _TroubleError(f"the connection ended after {done} of {total} bytes", is_passing=True)


def _chunk(response: HTTPResponse) -> bytes:
    try:
        return response.read(CHUNK)
    except (HTTPException, OSError) as error:
        raise _TroubleError(error, is_passing=True) from error


def _answer(url: str, offset: int) -> tuple[HTTPResponse, int, int | None]:
    """Ask for the bytes from ``offset`` on: the answer, the first byte that it has, and the bytes in all."""
    try:
        response = _open(url, offset)
    except HTTPError as error:
        error.close()
        if error.code == 416 and offset:
            return _answer(url, 0)
        raise _TroubleError(f"HTTP {error.code} {error.reason}", is_passing=error.code >= 500) from error
    except URLError as error:
        raise _TroubleError(error.reason, is_passing=False) from error
    except (HTTPException, OSError) as error:
        raise _TroubleError(error, is_passing=True) from error
    length = response.headers.get("Content-Length")
    if response.status != 206:
        return response, 0, int(length) if length else None
    extent = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
    if offset and (extent is None or int(extent[1]) != offset):
        response.close()
        return _answer(url, 0)
    total = extent[2] if extent else "*"
    return response, offset, int(total) if total != "*" else None


def _open(url: str, offset: int) -> HTTPResponse:
    from protograph import __version__

    headers = {"User-Agent": f"protograph/{__version__}"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    # download and _SafeRedirects let no other scheme than http and https through.
    request = Request(url, headers=headers)  # noqa: S310
    return cast(HTTPResponse, build_opener(_SafeRedirects).open(request, timeout=TIMEOUT))
