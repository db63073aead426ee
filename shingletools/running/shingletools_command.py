"""list the commands"""

import importlib
import re
import sys
from collections.abc import Sequence

from shingletools import kernel
from shingletools.cli.options import Printed, did_you_mean, meant, version
from shingletools.record.command_registry import COMMANDS, STAGES, command_of
from shingletools.running import driver
from shingletools.system import errors
from shingletools.system.errors import Failed

RUN = "run"
# Commands of this command, with their modules
OWN = {RUN: "run_command", "unique": "unique_command", "compare": "compare_command", "recipes": "recipes"}
OPTIONS = ("-h", "--help", "--version", "--check")
DEVELOPER_EXTRAS = ("test", "bench", "fuzz")  # extras for developers


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Runs the command that the first word names. Raises Printed, or Failed for unknown arguments."""
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] in (*OWN, *COMMANDS):
        command, *rest = words
        own = own_run(command) if command in OWN else driver.run if command in STAGES else command_of(command).run
        title = f"{name} {command}" if command in OWN else command
        return driver.main(title, rest, own, closed)
    for word in words:
        if word not in OPTIONS:
            question = did_you_mean(meant(word, (*OWN, *COMMANDS, *OPTIONS)))
            what = "unrecognized arguments:" if word.startswith("-") else "no such command:"
            raise Failed(f"{what} {errors.printable(word)}{question} (see {name} --help)")
    shown = {"--version": versions, "--check": checked}.get(words[0] if words else "", overview)
    raise Printed(shown(name))


def own_run(command: str) -> driver.Run:
    """Returns the function that runs one of OWN."""
    own: driver.Run = importlib.import_module(f"shingletools.running.{OWN[command]}").run
    return own


def overview(name: str) -> str:
    """Returns the list of commands, each with its summary."""
    width = max(map(len, COMMANDS))
    lines = [f"  {command:{width}}  {summary(command)}\n" for command in COMMANDS]
    return (
        f"usage: {name} [--help | --version | --check]\n       {name} COMMAND ...\n"
        f"       {name} run PIPELINE [FILE ...]\n"
        f"       {name} unique FILE ...\n       {name} compare A B\n       {name} recipes\n\n"
        f"Commands that find near-duplicate texts:\n\n{''.join(lines)}\n"
        "Each is a program: see COMMAND --help and man COMMAND. man shingletools is about all of them.\n"
        f"{name} COMMAND runs it, too: use this where another program has the same name.\n"
        f"{name} run runs a pipeline in one process: see {name} run --help and man shingletools-run.\n"
        f"{name} unique writes files without copies, and compare shows what two files or folders share:\n"
        f"each makes a pipeline, which --dry-run prints. {name} recipes prints pipelines for common jobs.\n"
        f"{name} --version prints what is installed, {name} --check compares the C kernel with its definition.\n\n"
        "example:\n  canon docs.jsonl | shingle -k 10 | sketch -n 84 | simjoin -t 0.8\n"
    )


def summary(command: str) -> str:
    """Returns a command's summary: one line."""
    return command_of(command).__doc__ or ""


def versions(name: str) -> str:
    """Returns what is installed and what is missing, a line for each fact."""
    import platform  # here and below: only --version needs them
    import shutil

    lines = [
        *map(str.strip, version(name)),
        f"Python {platform.python_version()}, {errors.printable(sys.executable)}",
        f"{platform.system()} {platform.machine()}",
    ]
    for extra, packages in required().items():
        lines.append(
            f"{f'extra {extra}' if extra else 'packages'}: {', '.join(map(installed, packages)) or 'nothing needed'}"
        )
    lines.append(f"java: {errors.printable(shutil.which('java') or 'not found')}")
    return "".join(f"{line}\n" for line in lines)


def checked(_name: str) -> str:
    """Returns how many results of the C kernel equal those of its definition. Raises Failed if some differ."""
    if kernel.NAME != "c":
        return f"{kernel.absence() or 'SHINGLETOOLS_KERNEL=numpy: the C kernel is not used'}\n"
    from shingletools.kernel import self_check  # it needs the C kernel

    groups = [*self_check.differing()]
    if wrong := [function for _, _, differ in groups for function in differ]:
        raise Failed(f"the C kernel differs from its definition, so use SHINGLETOOLS_KERNEL=numpy: {', '.join(wrong)}")
    return "".join(f"{name}: {compared} results are as defined\n" for name, compared, _ in groups)


def required() -> dict[str, list[str]]:
    """Returns the names of packages that the commands use, by the extra that installs them; "" for the required ones.

    Packages that only older versions of Python need are left out.
    """
    from importlib import metadata  # as above

    extras = metadata.metadata("shingletools").get_all("Provides-Extra") or ()
    found: dict[str, list[str]] = {"": [], **{extra: [] for extra in extras if extra not in DEVELOPER_EXTRAS}}
    for requirement in metadata.requires("shingletools") or ():
        package = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra\s*==\s*[\"']([\w-]+)[\"']", requirement)
        older = re.search(r"python_version\s*<\s*[\"'](\d+)\.(\d+)[\"']", requirement)
        if older and sys.version_info >= (int(older[1]), int(older[2])):
            continue
        if package and (packages := found.get(extra[1] if extra else "")) is not None:
            packages.append(package[0])
    return found


def installed(package: str) -> str:
    """Returns a package's name and version; says if it is missing."""
    from importlib import metadata  # as above

    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} missing"
