"""The page without its data: markup, style and script from the files in this folder, and a policy for browsers."""

import base64
import hashlib
from functools import cache
from importlib import resources

import orjson

# In the order of use
SCRIPTS = ("data.js", "decisions.js", "lists.js", "differences.js", "group.js", "pair.js", "main.js")
HERE = "<!-- {} -->"  # marks where something is put into the page


def asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def source_of(code: str) -> str:
    """Returns the hash that names an inline script or style in a policy (Content Security Policy 3, 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


@cache
def shell() -> tuple[bytes, bytes]:
    """Returns the page before and after the data. Its policy allows this script and this style, and no requests."""
    style = asset("report.css")
    script = "'use strict';\n" + "".join(map(asset, SCRIPTS))
    policy = (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    page = asset("report.html")
    for name, content in (("policy", policy), ("style", style), ("script", script)):
        before, mark, after = page.partition(HERE.format(name))
        assert mark, name
        page = before + content + after
    before, _, after = page.partition(HERE.format("data"))
    return before.encode(), after.encode()


def in_script(value: object) -> bytes:
    """Returns JSON for a script element: without `<`, so it can neither end the element nor begin a comment."""
    return orjson.dumps(value).replace(b"<", b"\\u003c")
