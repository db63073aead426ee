"""Whether the package that tests import is that of a tree."""

from importlib.util import find_spec
from pathlib import Path

SOURCES = {".c", ".css", ".h", ".html", ".js", ".py", ".txt"}


def unlike(tree: Path) -> str:
    """What tells the installed package from the one of a tree; nothing if there is none in the tree."""
    spec = find_spec("shingletools")
    if spec is None or spec.origin is None:
        return "shingletools is not installed"
    installed = Path(spec.origin).parent
    sources = [path for path in tree.rglob("*") if path.suffix in SOURCES]
    if installed == tree:  # installed with -e: only the kernel is built
        built = max((path.stat().st_mtime for path in tree.glob("kernel/_kernel.*.so")), default=0.0)
        late = [path.name for path in sources if path.suffix in {".c", ".h"} and path.stat().st_mtime > built]
        return f"the kernel was built before {min(late)} was changed" if late else ""
    for path in sources:
        copy = installed / path.relative_to(tree)
        if not copy.is_file() or copy.read_bytes() != path.read_bytes():
            return f"{copy} is not {path.relative_to(tree.parent)} of this tree"
    return ""
