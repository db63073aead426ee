"""Pages, and one browser for all tests; whatever a page does that it must not fails the test."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from report.browser import CHROMIUM, at, chromium, settled
from report.samples import PAGES

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, make in PAGES.items():
        make(folder / f"{name}.html")
    return {path.stem: path for path in folder.iterdir()}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium on the PATH (Debian's package: chromium)")
    with chromium() as browser:
        yield browser


@pytest.fixture
def opened(browser: Browser, pages: dict[str, Path]) -> Iterator[Open]:
    """Opens a view of a page, by its name or file, in its own window; checks that it asked and said nothing."""
    contexts: list[BrowserContext] = []
    asked: list[str] = []
    requests: list[str] = []
    said: list[str] = []

    def open_view(name: str | Path, view: str = "", width: int = 1200, scheme: Any = "light", **options: Any) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, **options))
        page = contexts[-1].new_page()
        page.on("request", lambda request: requests.append(request.url.partition("#")[0]))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
        page.on("popup", lambda popup: said.append(f"window: {popup.url}"))
        file = name if isinstance(name, Path) else pages[name]
        asked.append(file.as_uri())
        page.goto(at(file, view))
        settled(page)
        return page

    yield open_view
    assert said == []
    assert [url for url, _ in groupby(requests)] == [url for url, _ in groupby(asked)]  # a test may load a page again
    for context in contexts:
        context.close()
