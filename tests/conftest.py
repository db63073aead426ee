"""How Hypothesis searches, in every test that does."""

import os

from hypothesis import HealthCheck, settings

# No deadline: a machine under load makes any function slow. Where CI is set, the same commit has the same examples.
settings.register_profile(
    "shingletools",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
# For tests that run again, only slower, as under the sanitizers
settings.register_profile("brief", settings.get_profile("shingletools"), max_examples=15)
settings.load_profile("shingletools")
