"""The page without its data: markup, style and script from the files beside this one, and what a browser lets it do."""

import base64
import hashlib
from functools import cache
from importlib import resources

SCRIPTS = ("data.js", "lists.js", "figures.js", "group.js", "pair.js", "main.js")  # in the order of use
HERE = "<!-- {} -->"  # what stands in the page where something is put in


def asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def source_of(code: str) -> str:
    """How a policy names one inline script or style: by its hash (Content Security Policy Level 3, section 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


@cache
def frame() -> tuple[bytes, bytes]:
    """What stands before the data and behind it. The policy allows this script and this style, and no request."""
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
