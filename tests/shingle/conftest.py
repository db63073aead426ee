"""The sample documents, and the table of their shingles."""

from pathlib import Path

import pytest

from shingle.tabled import canonical, table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Canonical documents, and the table of them."""
    (tmp_path / "docs").write_bytes(canonical())
    (tmp_path / "df").write_bytes(table())
    return tmp_path
