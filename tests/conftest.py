"""What is tested, which must be this tree, installed; and how Hypothesis searches, in every test that does."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from installed import unlike

TOP = Path(__file__).parents[1]
# `python -m pytest` puts the current folder first, whose package has no kernel
sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != TOP]


def pytest_configure(config: pytest.Config) -> None:
    """Stops a run of tests that would test another tree than this one."""
    if not hasattr(config, "workerinput") and (fault := unlike(TOP / "shingletools")):
        raise pytest.UsageError(f"{fault}; install this tree first: pip install '.[test]'")


# No deadline: a machine under load makes any function slow. Where CI is set, the same commit has the same examples.
settings.register_profile(
    "shingletools",
    max_examples=50,
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
# For tests that run again, only slower, as under the sanitizers
settings.register_profile("brief", settings.get_profile("shingletools"), max_examples=8)
settings.load_profile("shingletools")
