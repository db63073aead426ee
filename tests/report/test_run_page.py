"""The page of simshow --runs in a browser."""

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from harness import DOCS, pipe, run


def test_it_says_nothing_and_axe_finds_no_fault(browser: Browser, tmp_path: Path) -> None:
    marked = pipe(DOCS.read_bytes(), "canon --offsets", "repeats -k 12 --ids --all")
    run("simshow --runs --html", tmp_path / "page.html", stdin=marked)
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    page.locator("summary").click()
    found = Axe().run(page).response["violations"]
    assert ([each["id"] for each in found], said) == ([], [])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    first, number = page.locator("mark").first, page.locator("a.number").first
    number.click()
    assert page.evaluate("document.querySelector(':target').tagName") == "LI"
    assert first.evaluate("(mark) => getComputedStyle(mark).borderBottomStyle") == "solid"
    context.close()
