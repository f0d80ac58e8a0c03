import os
import random
import socket
from errno import ECONNREFUSED
from types import SimpleNamespace

import pytest

from protograph.datasets import files
from protograph.datasets.files import CHUNK, _checked, download
from tests.datasets.file_server import serving

CONTENT = random.Random(0).randbytes(3 * CHUNK + 17)
SIZE = len(CONTENT)


def quiet(stage, done, total):
    """Say nothing."""


def accept(path):
    """Take what has come."""


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "folder" / "file.bin"


def message_of(kind, url, path, check=accept):
    """What is said, where nothing may be left."""
    with pytest.raises(kind) as caught:
        download(url, path, check, quiet)
    assert not path.parent.exists() or list(path.parent.iterdir()) == []
    return str(caught.value)


def failure(url, reason, path):
    return (
        f"{url} could not be downloaded ({reason}); try again later, put the file at {path} by hand, "
        f"or name a folder that has it with PROTOGRAPH_DATA, root= or --data-root"
    )


def test_a_file_is_downloaded_with_reports(server, path):
    calls = []
    download(server.url, path, accept, lambda *call: calls.append(call))
    assert path.read_bytes() == CONTENT
    assert [file.name for file in path.parent.iterdir()] == ["file.bin"]
    assert [done for _, done, _ in calls] == [CHUNK, 2 * CHUNK, 3 * CHUNK, SIZE, SIZE]
    assert {(stage, total) for stage, _, total in calls} == {("downloading file.bin", SIZE)}


def test_an_answer_without_end(server, path, monkeypatch):
    monkeypatch.setattr(files, "MOST_DOWNLOADED", 2 * CHUNK)
    assert message_of(ConnectionError, server.url, path) == failure(server.url, "it has more than 131,072 bytes", path)


def test_a_length_that_the_server_does_not_give(server, path):
    server.behave = lambda handler, number: handler.send(200, {}, CONTENT)
    totals = set()
    download(server.url, path, accept, lambda stage, done, total: totals.add(total))
    assert path.read_bytes() == CONTENT
    assert totals == {None}


def test_an_earlier_file_is_replaced_only_by_a_good_one(server, path):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"before")
    server.behave = lambda handler, number: number == 0 and handler.refuse(404)
    with pytest.raises(ConnectionError):
        download(server.url, path, accept, quiet)
    assert path.read_bytes() == b"before"
    download(server.url, path, accept, quiet)
    assert path.read_bytes() == CONTENT


def test_redirects_are_followed(server, path):
    def move(handler, number):
        return number == 0 and handler.send(302, {"Location": "/elsewhere", "Content-Length": 0}, b"")

    server.behave = move
    download(server.url, path, accept, quiet)
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 2


def test_what_check_refuses_leaves_nothing(server, path):
    def refuse(file):
        assert file.read_bytes() == CONTENT
        raise ValueError("no such format")

    assert message_of(ValueError, server.url, path, refuse) == "no such format"


def test_an_interrupt_leaves_nothing(server, path):
    def interrupt(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(server.url, path, accept, interrupt)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "reason"), [(404, "HTTP 404 Not Found"), (503, "HTTP 503 Service Unavailable")], ids=str
)
def test_a_server_that_has_it_not(server, path, code, reason):
    server.behave = lambda handler, number: handler.refuse(code)
    assert message_of(ConnectionError, server.url, path) == failure(server.url, reason, path)


def test_a_connection_that_breaks_off(server, path):
    server.behave = lambda handler, number: handler.give(limit=1000)
    message = message_of(ConnectionError, server.url, path)
    assert message == failure(server.url, f"IncompleteRead(1000 bytes read, {SIZE - 1000} more expected)", path)


def test_a_connection_closed_without_an_answer(server, path):
    server.behave = lambda handler, number: True
    message = message_of(ConnectionError, server.url, path)
    assert message == failure(server.url, "Remote end closed connection without response", path)


def test_offline(path):
    with socket.socket() as taken:  # bound but not listening, so that nobody else gets the port
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/file.bin"
        reason = ConnectionRefusedError(ECONNREFUSED, os.strerror(ECONNREFUSED))
        assert message_of(ConnectionError, url, path) == failure(url, reason, path)


@pytest.mark.parametrize("url", ["https://example.org/a", "http://localhost:80/a", "http://127.0.0.1/a"])
def test_addresses_that_nobody_on_the_way_can_change(url):
    answer = SimpleNamespace(url=url)
    assert _checked(answer) is answer


@pytest.mark.parametrize("url", ["http://example.org/a", "http://localhost.example.org/a"])
def test_other_addresses_are_refused(url):
    with pytest.raises(ConnectionError, match=rf"^it leads to {url}, which is not https$"):
        _checked(SimpleNamespace(url=url))


def test_an_answer_from_elsewhere_is_reported(server, path, monkeypatch):
    def elsewhere(url):
        return SimpleNamespace(scheme="http", hostname="example.org")

    monkeypatch.setattr("protograph.datasets.files.urlsplit", elsewhere)
    reason = f"it leads to {server.url}, which is not https"
    assert message_of(ConnectionError, server.url, path) == failure(server.url, reason, path)


def test_a_file_in_place_of_the_folder(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError, match=rf"{tmp_path / 'file'}"):
        download(server.url, tmp_path / "file" / "a.bin", accept, quiet)
