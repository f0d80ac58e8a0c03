"""A real browser, where there is one: Chromium of the system, driven by Playwright."""

import os
import shutil
from pathlib import Path

import pytest

CHROMIUM = os.environ.get("PROTOGRAPH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser():
    """Chromium; skips with the reason where it or Playwright is not there."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; `make browser` installs it")
    if CHROMIUM is None:
        pytest.skip("there is no chromium; install it, or name one by PROTOGRAPH_CHROMIUM")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visit:
    """A page that was opened, what it logged, and what it asked for besides itself."""

    def __init__(self, browser, path: Path, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        self.page = self.context.new_page()
        self.logged, self.requests = [], []
        self.page.on("console", lambda message: self.logged.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.logged.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.logged.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def close(self):
        """Nothing was logged, and nothing but the file was asked for."""
        self.context.close()
        assert self.logged == []
        assert len(self.requests) == 1
        assert self.requests[0].startswith("file:")


@pytest.fixture
def visit(browser):
    """Opens a file, and at the end of the test looks at what it logged and asked for."""
    visits = []

    def opened(path, **options):
        visits.append(Visit(browser, path, **options))
        return visits[-1].page

    yield opened
    for one in visits:
        one.close()
