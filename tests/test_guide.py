"""The guides for people who change the package keep their word, and the tests know every command."""

import ast
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import mutants
from documents import TOP
from harness import program
from shingletools.record.command_registry import COMMANDS as LISTED
from suite import COMMANDS, LISTERS, PROGRAMS, RUNNERS, SHORT, SUITE, WAYS

PACKAGE, TESTS = TOP / "shingletools", TOP / "tests"
GUIDE = PACKAGE / "README.md"
MODULES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
FILE = re.compile(r"(?:\.?[\w*-]+/)+[\w*.-]*|[\w*-]+\.(?:py|c|css|html|js|md|jsonl|toml|[1357])|\.ci")
# Names that no definition has: commands, fields, Python's own, a variable of the environment
OTHERS = {*PROGRAMS, *LISTERS, "via", "shingles", "sketch", "Fraction", "CI"}
NO_FILES = {".hypothesis/", "sketch/2"}  # what tests make, and recipes


@cache
def definitions(path: Path) -> frozenset[str]:
    """Classes, functions, methods and variables that are set, as Class.name where they are in one."""
    found: set[str] = set()

    def visit(body: list[ast.stmt], within: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(within + node.name)
                visit(node.body, f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name | ast.Attribute):
                        found.add(within + (target.id if isinstance(target, ast.Name) else target.attr))
            elif isinstance(node, ast.With | ast.If | ast.Try):
                visit(node.body, within)

    visit(ast.parse(path.read_text("utf-8")).body, "")
    return frozenset(found)


@cache
def everywhere() -> frozenset[str]:
    """All modules, and names defined in the package and in tests: those in classes with the class and without."""
    paths = [path for folder in (PACKAGE, TESTS) for path in folder.rglob("*.py")]
    names = {name for path in paths for name in definitions(path)}
    return frozenset(names | {name.rpartition(".")[2] for name in names} | {module.stem for module in MODULES})


def files(shown: str) -> list[Path]:
    """What a name of a file or folder may mean; a word in capitals stands for any name."""
    pattern = re.sub(r"\b[A-Z]{4,}\b", "*", shown).removeprefix("../")
    folders = [TOP, PACKAGE, TESTS]
    found = [path for folder in folders for path in folder.glob(pattern)]
    return found or ([] if "/" in shown else [path for folder in folders[1:] for path in folder.rglob(pattern)])


def missing(shown: str) -> list[str]:
    """What a text in backticks names, and is not there; options, texts and what else a shell may hold pass."""
    lost = []
    for word in shown.replace("'", " ").split():
        if word in NO_FILES:
            continue
        if match := re.fullmatch(rf"({FILE.pattern})(?:::?(\w+))?(?:\[\w+\])?", word):
            found = files(match[1])
            names = {name.rpartition(".")[2] for path in found if match[2] for name in definitions(path)}
            if not found or (match[2] and match[2] not in names):
                lost.append(word)
    if re.fullmatch(r"\w+", shown) and shown not in everywhere() | OTHERS:
        if shown not in (TOP / "pyproject.toml").read_text("utf-8"):
            lost.append(shown)
    elif match := re.fullmatch(r"([a-z_]+)\.([A-Za-z_]+)", shown):
        modules = PACKAGE.rglob(f"{match[1]}.py")
        if not FILE.fullmatch(shown) and all(match[2] not in definitions(module) for module in modules):
            lost.append(shown)
    elif re.fullmatch(r"[A-Z]\w+\.\w+", shown) and shown not in everywhere():
        lost.append(shown)
    return lost


def shown_in(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`]+)`", text)


@pytest.mark.parametrize("page", [GUIDE, TESTS / "README.md"], ids=lambda page: page.parent.name)
def test_what_a_guide_names_is_there(page: Path) -> None:
    shown = shown_in(page)
    assert len(shown) > 50
    assert {name: lost for name in shown if (lost := missing(name))} == {}


def test_the_search_finds_what_is_not_there() -> None:
    gone = [
        "canon/none.py",
        "nothing.py",
        "canon/command.py:nothing",
        "driver.nothing",
        "nowhere.run",
        "Stage.nothing",
        "Nothing",
        "pytest tests/test_nothing.py",
        "tests/canon/test_words.py::test_nothing[canon]",
    ]
    assert [missing(name) for name in gone] == [name.split()[-1:] for name in gone]


def test_every_module_is_in_the_map_of_its_wing_or_room() -> None:
    """The first words of the lines in the docstring of the __init__.py in its folder."""
    for room in MODULES:
        if room.name == "__init__.py" and room.parent.name not in ("", "commands"):
            lines = (ast.get_docstring(ast.parse((PACKAGE / room).read_text("utf-8"))) or "").split("\n")
            named = [line.split()[0] for line in lines if re.match(r"\w+ {2,}\w", line)]
            assert sorted(named) == [each.stem for each in MODULES if each.parent == room.parent and each != room]


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports, wherever it does so, without the package's name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, inner = name.partition(".")
            if package == "shingletools" and inner not in ("UNICODE", "__version__"):
                yield inner


def test_a_wing_imports_only_wings_above_it_in_the_map() -> None:
    table = GUIDE.read_text("utf-8").partition("| wing |")[2].partition("\n\n")[0]
    wings = re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE)
    assert sorted(wings) == sorted({module.parts[0] for module in MODULES} - {"__init__.py"})
    wrong = [
        (str(module), name)
        for module in MODULES
        if module.name != "__init__.py" or len(module.parts) > 1
        for name in imported(PACKAGE / module)
        if wings.index(name.split(".")[0]) > wings.index(module.parts[0])
    ]
    assert wrong == []


def test_modules_import_in_no_circle() -> None:
    """Wherever they do so. What is left when each module that imports nothing of the rest is taken away is a circle."""
    names = {str(module.with_suffix("")).replace("/", "."): module for module in MODULES if module.stem != "__init__"}
    left = {
        name: {start for found in imported(PACKAGE / module) for start in (found, found.rpartition(".")[0])} - {name}
        for name, module in names.items()
    }
    assert len(left) > 200
    while free := {name for name, needs in left.items() if not needs & left.keys()}:
        left = {name: needs for name, needs in left.items() if name not in free}
    assert left == {}


def test_no_module_below_commands_asks_which_command_runs() -> None:
    """What a command needs there, its stage or its COMMAND_INFO says. Hints alone are about commands by their names."""
    asked = [
        (str(module), constant.value)
        for module in MODULES
        if module.parts[0] not in ("commands", "spark") and str(module) != "record/error_hints.py"
        for node in ast.walk(ast.parse((PACKAGE / module).read_text("utf-8")))
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        for constant in (side.elts if isinstance(side, ast.Tuple | ast.Set) else [side])
        if isinstance(constant, ast.Constant) and constant.value in {*LISTED} - {"sketch", "repeats"}  # fields, too
    ]
    assert asked == []


def test_a_room_imports_no_other_room() -> None:
    rooms = [module for module in MODULES if module.parts[0] == "commands" and len(module.parts) > 2]
    crossed = {
        (module.parts[1], name.split(".")[1])
        for module in rooms
        for name in imported(PACKAGE / module)
        if name.startswith("commands.") and name.split(".")[1] != module.parts[1]
    }
    assert crossed == {("simindex", "simjoin")}


def test_a_class_has_a_name_of_its_own() -> None:
    counts = Counter(
        node.name
        for module in MODULES
        for node in ast.walk(ast.parse((PACKAGE / module).read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert len(counts) > 50
    assert [name for name, count in counts.items() if count > 1] == []


def missing_of(command: str) -> list[str]:
    """The places that lack a command: what each is to have is said by other tests."""
    scripts = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["setuptools"]["script-files"]
    page, launcher = f"man/{command}.1", f"bin/{command}"
    overview, readme = (TOP / "man/shingletools.7").read_text(), (TOP / "README.md").read_text("utf-8")
    kinds = (TESTS / "contract/test_kinds.py").read_text().partition("\nTAKES = {")[2].partition("\n}")[0]
    there = {
        f"command_registry.COMMANDS: {command}": command in LISTED,
        f"shingletools/commands/{command}/": command in RUNNERS or (PACKAGE / "commands" / command).is_dir(),
        f"{launcher}, executable": os.access(TOP / launcher, os.X_OK),
        f"pyproject.toml, script-files: {launcher}": launcher in scripts,
        page: (TOP / page).exists(),
        f"man/shingletools.7, the list of commands: .It Xr {command} 1 Ta": f".It Xr {command} 1 Ta" in overview,
        f"man/shingletools.7, SEE ALSO: Xr {command} 1 ,": f"Xr {command} 1 ," in overview.partition("SEE ALSO")[2],
        f"README.md, the table of pages: `man {command}`": f"`man {command}`" in readme,
        f"tests/suite.py: SUITE, or KEEPERS: {command}": command in PROGRAMS,
        f"tests/contract/test_kinds.py: TAKES: {command}": command not in COMMANDS or f'"{command}": ' in kinds,
    }
    return [place for place, found in there.items() if not found]


def test_every_command_has_all_its_places() -> None:
    """A command is what one of them names."""
    rooms = {path.parent.name for path in (PACKAGE / "commands").glob("*/command.py")}
    others = {name.replace(" ", "-") for name in ("shingletools run", *SHORT)}
    pages = {path.stem for path in (TOP / "man").glob("*.1")} - others
    launchers = {path.name for path in (TOP / "bin").iterdir()} - {*LISTERS}
    named = {*LISTED, *PROGRAMS, *rooms, *launchers, *pages}
    lost = [f"{command}: {place}" for command in sorted(named) for place in missing_of(command)]
    assert not lost, "\n".join(lost)


def test_a_command_that_is_nowhere_lacks_everything() -> None:
    assert len(missing_of("nothing")) == 9


def test_every_command_is_in_the_matrix_of_the_contract() -> None:
    """In a process of their own they are run by their launchers, in the tests' process by the name of their room."""
    assert {program(way) for way in WAYS} == set(COMMANDS)
    assert all(program(way) == each.name for each in SUITE for way in (*each.ways, *each.by_id, *each.killed))


def test_every_mutant_is_a_change_of_a_source_and_has_tests_that_are_there() -> None:
    """place_of and path_of say which is not."""
    assert len([mutants.place_of(mutant, PACKAGE) for mutant in mutants.mutants()]) > 80
    assert all(mutant.old != mutant.new for mutant in mutants.mutants())
    for test in {test for mutant in mutants.mutants() for test in mutant.tests.split()}:
        mutants.path_of(test, TOP)


def unexplained(path: Path) -> list[int]:
    """The lines of imports inside functions that have no comment, nor stand right behind one that has.

    A comment may speak for all that follow: `late, here and below`.
    """
    source = path.read_text("utf-8")
    lines = ["", *source.split("\n")]
    found = {
        node.lineno: node.end_lineno or node.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    explained: set[int] = set()  # the lines after those that are explained
    for first, last in sorted(found.items()):
        here = any("#" in line for line in lines[first : last + 1]) or lines[first - 1].lstrip().startswith("#")
        if here or first in explained:
            explained.add(last + 1)
            del found[first]
    last = next((number for number, line in enumerate(lines) if "# late, here and below" in line), len(lines))
    return sorted(line for line in found if line < last)


def test_an_import_inside_a_function_says_why_it_stands_there() -> None:
    found = {module: unexplained(PACKAGE / module) for module in MODULES}
    assert {module: lines for module, lines in found.items() if lines} == {}
