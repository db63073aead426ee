"""The page in a browser: hostile texts, and what the policy of the page forbids."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Browser, expect

from report.browser import at
from report.conftest import Open
from report.samples import COMMON, HOSTILE
from report.views import go


def test_hostile_texts_do_nothing(opened: Open) -> None:
    page = opened("hostile")
    page.evaluate("() => { window.hits = 0; window.hit = () => { window.hits += 1; }; }")
    count = int(page.evaluate("pairs.count"))
    assert count >= 5
    for view in ("groups", "group/0", "pairs", *(f"pair/{place}" for place in range(count))):
        go(page, view)
        foreign = (
            "img, iframe, object, embed, link, base, meta[http-equiv=refresh], svg[onload], a:not([href^='#']), [style]"
        )
        expect(page.locator(foreign)).to_have_count(0)
        expect(page.locator("body script:not([type])")).to_have_count(1)
        if view.startswith("pair/"):
            page.get_by_role("button", name="What both share").click()
            for side in (1, 2):
                marks = page.locator(f".cell:nth-child({side}) mark")
                assert any(COMMON in content for content in marks.all_text_contents())
    assert page.evaluate("window.hits") == 0
    assert page.locator("h1").inner_text() == "Shared passages"


class Asked(BaseHTTPRequestHandler):
    """A server that notes what it is asked for."""

    paths: ClassVar[set[str]] = set()

    def do_GET(self) -> None:  # its base class says so
        self.paths.add(self.path)
        self.send_error(404)

    do_POST = do_GET  # noqa: N815 # likewise

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.parametrize("policy", [True, False], ids=["as it is", "without the policy"])
def test_the_browser_refuses_what_the_policy_forbids(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, policy: bool
) -> None:
    """Were there a hole for markup or code, it would lead nowhere; without the policy, all of this would happen."""
    content = pages["special"].read_text("utf-8")
    target = tmp_path / "page.html"
    target.write_text(content if policy else re.sub('default-src [^"]*', "", content, count=1), "utf-8")
    Asked.paths.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Asked) as server, browser.new_page() as page:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(at(target))
        marks = page.evaluate(
            """async (server) => {
                const made = (name, given) => Object.assign(document.createElement(name), given);
                const attempt = (work) => { try { work(); } catch { /* Trusted Types */ } };
                attempt(() => { document.body.insertAdjacentHTML('beforeend', '<b id="markup">x</b>'); });
                attempt(() => document.body.append(made('script', { text: 'window.ran = true' })));
                attempt(() => document.body.append(made('script', { src: `${server}/script` })));
                document.body.append(made('img', { src: `${server}/image` }),
                    made('iframe', { src: `${server}/frame` }),
                    made('link', { rel: 'stylesheet', href: `${server}/style` }),
                    made('style', { textContent: 'main { display: none }' }));
                await fetch(`${server}/fetch`, { mode: 'no-cors' }).catch(() => null);
                navigator.sendBeacon(`${server}/beacon`, 'x');
                const form = made('form', { action: `${server}/form`, method: 'post', target: 'elsewhere' });
                document.body.append(made('iframe', { name: 'elsewhere' }), form);
                form.submit();
                await new Promise((done) => setTimeout(done, 500));
                return [Boolean(byId('markup')), Boolean(window.ran), getComputedStyle(byId('main')).display];
            }""",
            f"http://127.0.0.1:{server.server_port}",
        )
        server.shutdown()
    if policy:
        assert (marks, Asked.paths) == ([False, False, "block"], set())
    else:
        paths = {"/script", "/image", "/frame", "/style", "/fetch", "/beacon", "/form"}
        assert (marks, Asked.paths) == ([True, True, "none"], paths)


def test_texts_of_the_hostile_page_are_the_ones_meant() -> None:
    assert all(any(each in text for text in HOSTILE) for each in ("</script>", "\0", "\u202e", "\u2028", "😀"))
