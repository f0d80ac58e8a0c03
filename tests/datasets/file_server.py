"""A server on this machine that gives one file and misbehaves as it is told."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class FileServer(ThreadingHTTPServer):
    """Gives ``content`` under every path, and keeps the headers of each request.

    Attributes:
        content: The file.
        requests: Headers of each request so far.
        behave: Called with the handler and its number, from 0; true where it has answered by itself.
    """

    daemon_threads = True

    def __init__(self, content):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = content
        self.requests = []
        self.behave = lambda handler, number: False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/some/file.bin"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.headers)
        if not self.server.behave(self, len(self.server.requests) - 1):
            self.give()

    def give(self, limit=None):
        """Answer as a good server does, but break off after so many bytes."""
        content = self.server.content
        return self.send(200, {"Content-Length": len(content)}, content[:limit])

    def refuse(self, code):
        return self.send(code, {"Content-Length": 0}, b"")

    def send(self, code, headers, content):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)
        return True

    def log_message(self, *arguments):
        """Say nothing."""


@contextmanager
def serving(content):
    server = FileServer(content)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
