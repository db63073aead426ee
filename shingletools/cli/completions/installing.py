"""Installs the completions of shells. Only a build runs it; it is not installed itself."""

from distutils.command.install_data import install_data  # setuptools has it where Python does not
from pathlib import Path

# Where each shell looks for a command
PLACES = {
    "bash": "share/bash-completion/completions/{}",
    "zsh": "share/zsh/site-functions/_{}",
    "fish": "share/fish/vendor_completions.d/{}.fish",
}
HERE = Path(__file__).parent
COMMANDS = HERE.parents[2] / "bin"


def completions() -> dict[str, str]:
    """Returns the content of each file: the shell's script, with the command's name and its rows of the table."""
    made = {}
    lines = [line.partition("\t") for line in (HERE / "options.tsv").read_text("utf-8").splitlines()]
    for command in sorted(path.name for path in COMMANDS.iterdir()):
        rows = "\n".join(row for commands, _, row in lines if command in commands.split())
        for shell, place in PLACES.items():
            quoted = rows.replace("\\", "\\\\").replace("'", "\\'") if shell == "fish" else rows
            script = (HERE / f"command.{shell}").read_text("utf-8")
            made[place.format(command)] = script.replace("COMMAND", command).replace("ROWS", quoted)
    return made


class InstallData(install_data):  # type: ignore[misc, unused-ignore]  # no type from Python 3.12 on
    """Installs the completions, and the files that pyproject.toml names."""

    def run(self) -> None:
        super().run()
        for name, script in completions().items():
            path = Path(self.install_dir, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(script, "utf-8")
            self.outfiles.append(str(path))
