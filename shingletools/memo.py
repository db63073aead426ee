"""A bounded memo of a pure function of short strings."""

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value", bound=str | bytes)

ENTRIES = 1 << 17  # distinct keys held, at worst 85 MB with their values
LONGEST = 32  # characters in a key; longer ones are rarely seen twice, and could fill the memory


class Memo(dict[str, Value]):
    """memo[key] is function(key), computed again only after it was forgotten.

    When full, it forgets everything: a plain look-up then costs nothing but the look-up, and a stream of words that
    never return costs one computation each, as it would without a memo.

    >>> memo = Memo(str.upper)
    >>> memo["word"], len(memo)
    ('WORD', 1)
    """

    def __init__(self, function: Callable[[str], Value]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: str) -> Value:
        value = self.function(key)
        if len(key) <= LONGEST and len(value) <= 2 * LONGEST:
            if len(self) >= ENTRIES:
                self.clear()
            self[key] = value
        return value

    def __reduce__(self) -> tuple[type["Memo[Value]"], tuple[Callable[[str], Value]]]:
        """A worker process starts with an empty memo."""
        return (Memo, (self.function,))
