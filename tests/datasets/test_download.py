import gzip
import hashlib
import os
import random
import socket
import time
from errno import ECONNREFUSED
from threading import Event

import pytest

from protograph import __version__
from protograph.datasets import download as module
from protograph.datasets.download import CHUNK, download
from tests.datasets.file_server import serving
from tests.datasets.light_process import start

CONTENT = random.Random(0).randbytes(3 * CHUNK + 17)
SIZE = len(CONTENT)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER = "0" * 64


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(module, "BACK_OFF", (0, 0, 0))


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "folder" / "file.bin"


def part_of(path):
    return path.with_name("file.bin.part")


def put_part(path, content):
    path.parent.mkdir(parents=True)
    part_of(path).write_bytes(content)


def check_whole(path, content=CONTENT):
    assert path.read_bytes() == content
    assert {file.name for file in path.parent.iterdir()} <= {"file.bin", ".file.bin.lock"}


def message_of(kind, *arguments, **options):
    with pytest.raises(kind) as caught:
        download(*arguments, **options)
    return str(caught.value)


def failure(url, reason, path):
    return (
        f"{url} could not be downloaded ({reason}); try again later, put the file at {path} by hand, "
        f"or name a folder that has it with PROTOGRAPH_DATA, root= or --data-root"
    )


# --- a good connection ---


def test_a_file_is_downloaded_and_told_of(server, path):
    calls = []
    assert download(server.url, path, sha256=SHA256, progress=lambda *call: calls.append(call)) == path
    check_whole(path)
    assert [headers["User-Agent"] for headers in server.requests] == [f"protograph/{__version__}"]
    assert server.ranges == [None]
    assert calls[0] == ("downloading file.bin", 0, SIZE)
    assert calls[-1] == ("downloading file.bin", SIZE, SIZE)
    assert [done for _, done, _ in calls] == [0, CHUNK, 2 * CHUNK, 3 * CHUNK, SIZE]


def test_a_length_that_is_not_told(server, path):
    server.behave = lambda handler, number: handler.send(200, {}, CONTENT)
    totals = set()
    download(server.url, path, sha256=SHA256, progress=lambda stage, done, total: totals.add(total))
    check_whole(path)
    assert totals == {None}


def test_a_whole_file_is_not_downloaded_again(server, path):
    download(server.url, path, sha256=SHA256)
    assert download(server.url, path, sha256=SHA256) == path
    assert len(server.requests) == 1


def test_a_file_with_another_checksum_is_replaced(server, path):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"wrong")
    download(server.url, path, sha256=SHA256)
    check_whole(path)


def test_redirects_are_followed(server, path):
    def move(handler, number):
        return number == 0 and handler.send(302, {"Location": "/elsewhere", "Content-Length": 0}, b"")

    server.behave = move
    download(server.url, path, sha256=SHA256)
    check_whole(path)
    assert len(server.requests) == 2


# --- checksums ---


@pytest.mark.parametrize("of_file", [True, False])
def test_checksum_of_a_packed_file_or_of_its_content(server, path, of_file):
    packed = server.content = gzip.compress(CONTENT)
    download(server.url, path, sha256=hashlib.sha256(packed).hexdigest() if of_file else SHA256)
    check_whole(path, packed)


def test_a_wrong_checksum_leaves_nothing(server, path):
    wanted = f"file.bin from {server.url} must have the SHA-256 checksum {OTHER}, got {SHA256}; get the file again"
    assert message_of(ValueError, server.url, path, sha256=OTHER) == wanted
    assert not path.exists()
    assert not part_of(path).exists()


def test_a_wrong_checksum_of_a_packed_file_is_that_of_its_content(server, path):
    server.content = gzip.compress(CONTENT)
    assert f"{OTHER}, got {SHA256}" in message_of(ValueError, server.url, path, sha256=OTHER)
    assert not part_of(path).exists()


def test_without_a_checksum_a_packed_file_must_still_be_whole(server, path):
    server.content = gzip.compress(CONTENT)[:-9]
    assert "cannot be read (EOFError" in message_of(ValueError, server.url, path)
    assert not path.exists()
    assert not part_of(path).exists()


def test_what_check_refuses_leaves_nothing(server, path):
    def refuse(file):
        assert file.read_bytes() == CONTENT
        raise ValueError("no such format")

    assert message_of(ValueError, server.url, path, check=refuse) == "no such format"
    assert not path.exists()
    assert not part_of(path).exists()


# --- going on ---


def test_an_interrupt_leaves_the_part_and_the_next_try_asks_for_the_rest(server, path):
    def interrupt(stage, done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(server.url, path, sha256=SHA256, progress=interrupt)
    assert not path.exists()
    assert part_of(path).read_bytes() == CONTENT[:CHUNK]
    calls = []
    download(server.url, path, sha256=SHA256, progress=lambda *call: calls.append(call[1:]))
    check_whole(path)
    assert server.ranges == [None, f"bytes={CHUNK}-"]
    assert calls == [(CHUNK, SIZE), (2 * CHUNK, SIZE), (3 * CHUNK, SIZE), (SIZE, SIZE)]


def test_a_dropped_connection_is_tried_again_for_the_rest(server, path):
    server.behave = lambda handler, number: number < 2 and handler.give(limit=1000)
    download(server.url, path, sha256=SHA256)
    check_whole(path)
    assert server.ranges == [None, "bytes=1000-", "bytes=2000-"]


def test_a_connection_that_always_drops_is_given_up_with_the_part_kept(server, path):
    server.behave = lambda handler, number: handler.give(limit=1000)
    reason = f"the connection ended after 4000 of {SIZE} bytes"
    assert message_of(ConnectionError, server.url, path) == failure(server.url, reason, path)
    assert part_of(path).read_bytes() == CONTENT[:4000]
    assert not path.exists()


def test_a_connection_closed_without_an_answer_is_tried_again(server, path):
    server.behave = lambda handler, number: number == 0
    download(server.url, path, sha256=SHA256)
    check_whole(path)
    assert len(server.requests) == 2


def test_a_broken_chunk_is_tried_again(server, path):
    def cut(handler, number):
        if number:
            return False
        handler.protocol_version = "HTTP/1.1"
        handler.close_connection = True
        return handler.send(200, {"Transfer-Encoding": "chunked"}, b"fff\r\nshort")

    server.behave = cut
    download(server.url, path, sha256=SHA256)
    check_whole(path)


def test_each_pause_is_kept(server, path, monkeypatch):
    pauses = []
    monkeypatch.setattr(module, "BACK_OFF", (0.5, 7.0))
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.behave = lambda handler, number: handler.refuse(503)
    wanted = failure(server.url, "HTTP 503 Service Unavailable", path)
    assert message_of(ConnectionError, server.url, path) == wanted
    assert pauses == [0.5, 7.0]
    assert len(server.requests) == 3


def test_a_server_without_ranges_starts_over(server, path):
    put_part(path, b"x" * 1000)
    server.has_ranges = False
    download(server.url, path, sha256=SHA256)
    check_whole(path)
    assert server.ranges == ["bytes=1000-"]


def test_a_part_that_is_too_long_starts_over(server, path):
    put_part(path, b"x" * (SIZE + 1))
    download(server.url, path, sha256=SHA256)
    check_whole(path)
    assert server.ranges == [f"bytes={SIZE + 1}-", None]


@pytest.mark.parametrize("extent", [{"Content-Range": f"bytes 5-{SIZE - 1}/{SIZE}"}, {}], ids=["other", "none"])
def test_an_answer_with_other_bytes_starts_over(server, path, extent):
    put_part(path, CONTENT[:1000])

    def shift(handler, number):
        return number == 0 and handler.send(206, extent, CONTENT[5:])

    server.behave = shift
    download(server.url, path, sha256=SHA256)
    check_whole(path)
    assert server.ranges == ["bytes=1000-", None]


def test_a_part_of_another_file_is_found_out_and_removed(server, path):
    put_part(path, b"x" * 1000)
    assert f"{SHA256}, got " in message_of(ValueError, server.url, path, sha256=SHA256)
    assert not part_of(path).exists()
    download(server.url, path, sha256=SHA256)
    check_whole(path)


# --- what cannot be downloaded ---


def test_a_missing_page_is_asked_for_once(server, path):
    server.behave = lambda handler, number: handler.refuse(404)
    assert message_of(ConnectionError, server.url, path) == failure(server.url, "HTTP 404 Not Found", path)
    assert len(server.requests) == 1
    assert not path.exists()


def test_offline(path):
    with socket.socket() as taken:  # bound but not listening, so that nobody else gets the port
        taken.bind(("127.0.0.1", 0))
        url = f"http://localhost:{taken.getsockname()[1]}/file.bin"
        reason = ConnectionRefusedError(ECONNREFUSED, os.strerror(ECONNREFUSED))
        assert message_of(ConnectionError, url, path) == failure(url, reason, path)


def test_only_https(path):
    wanted = "url must begin with https://, got http://example.org/a; use an https address"
    assert message_of(ValueError, "http://example.org/a", path) == wanted
    assert "got file:///etc/passwd" in message_of(ValueError, "file:///etc/passwd", path)
    assert "got http://localhost.example.org/" in message_of(ValueError, "http://localhost.example.org/", path)


def test_no_redirect_to_http(server, path):
    away = {"Location": "http://example.org/a", "Content-Length": 0}
    server.behave = lambda handler, number: handler.send(302, away, b"")
    reason = "it redirects to http://example.org/a, which is not https"
    assert message_of(ConnectionError, server.url, path) == failure(server.url, reason, path)


def test_a_file_in_place_of_the_folder(server, tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "a.bin"
    wanted = f"cannot write {path}: File exists; name another folder with PROTOGRAPH_CACHE or --data-root"
    assert message_of(OSError, server.url, path) == wanted


# --- two processes ---

DOWNLOADER = """
from pathlib import Path
from protograph.datasets.download import download
print("started", flush=True)
print(download(sys.argv[1], Path(sys.argv[2]), sha256=sys.argv[3]).stat().st_size)
"""


def test_of_two_processes_one_downloads(server, path):
    go = Event()

    def wait(handler, number):
        go.wait(10)
        return False

    server.behave = wait
    processes = [start(DOWNLOADER, server.url, path, SHA256) for _ in range(2)]
    try:
        assert [process.stdout.readline() for process in processes] == ["started\n"] * 2
        time.sleep(0.3)  # long enough for both to come to the lock
        go.set()
        assert [process.communicate()[0] for process in processes] == [f"{SIZE}\n"] * 2
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert len(server.requests) == 1
    check_whole(path)
