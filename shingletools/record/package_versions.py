"""Versions of packages, for recipes whose output depends on their data."""


def version(package: str) -> str:
    """Returns the installed version of a package."""
    from importlib import metadata  # 49 modules, for recipes that name a version

    return metadata.version(package)


def made_with(value: str, *packages: str) -> str:
    """Returns a recipe's value, with the versions of the packages whose data decide the output.

    >>> made_with("fr", "regex").startswith("fr@regex-")
    True
    """
    return f"{value}@{','.join(f'{package}-{version(package)}' for package in packages)}"
