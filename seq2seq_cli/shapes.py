"""Jaxtyping's names for the shapes in signatures, for the modules that translating imports.

Importing jaxtyping takes 40 ms, a sixth of the time that a command may take for one sentence. A process that has
imported it before, as the tests do to check the shapes, gets its names; in any other they check nothing.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Int
else:

    class _Unchecked:
        """Stands for an array of any shape: ``Float[array, "B S"]`` is Any."""

        def __class_getitem__(cls, item: object) -> Any:
            return Any

    Bool = Float = Int = _Unchecked

__all__ = ["Bool", "Float", "Int"]
