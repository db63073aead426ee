"""Foreign content in HTML: what is open of SVG and MathML."""

from collections import Counter
from typing import NamedTuple

# Foreign content, and what holds HTML in it; what ends it (sections 13.2.6.1 and 13.2.6.5)
FOREIGN = {
    "svg": frozenset("desc foreignobject title".split()),
    "math": frozenset("annotation-xml mi mn mo ms mtext".split()),
}
ENDS_FOREIGN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)


class Open(NamedTuple):
    """An element that is open in foreign content."""

    name: str
    root: str  # svg or math
    holds_html: bool


class Foreign:
    """The elements that are open in foreign content, the innermost last, and how many of them have each name."""

    def __init__(self) -> None:
        self.inside: list[Open] = []
        self.names: Counter[str] = Counter()  # to look through all at each end tag would cost the square of a page

    def is_innermost(self) -> bool:
        return bool(self.inside) and not self.inside[-1].holds_html

    def note(self, name: str, is_end: bool, is_closed: bool) -> None:
        """What a tag does to them."""
        is_foreign = self.is_innermost()
        if is_end and self.names[name]:
            while self.pop() != name:
                pass
        elif is_foreign and name in (("br", "p") if is_end else ENDS_FOREIGN):
            while self.is_innermost():
                self.pop()
        elif (is_foreign or name in FOREIGN) and not is_end and not is_closed:
            root = self.inside[-1].root if is_foreign else name
            self.inside.append(Open(name, root, name in FOREIGN[root]))
            self.names[name] += 1

    def pop(self) -> str:
        """Closes the innermost, and tells its name."""
        name = self.inside.pop().name
        self.names[name] -= 1
        return name
