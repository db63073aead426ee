"""Pages in a browser that is on this machine: Debian's chromium, or what else answers to its name."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Without a window; raises what playwright does where there is none."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


def at(page: Path, view: str = "") -> str:
    """The address of a view of a page on disk."""
    return page.as_uri() + (f"#{view}" if view else "")


def settled(page: Page) -> None:
    """When what was asked for has been drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
