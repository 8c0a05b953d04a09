"""Jaxtyping's names for the shapes in signatures, for the modules that translating imports.

Importing jaxtyping takes 40 ms, a sixth of the time that a command may take for one sentence. A process that has
imported it before, as the tests do to check the shapes, gets its names; in any other they check nothing.
"""

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Int
else:
    Bool = Float = Int = defaultdict(lambda: Any)  # Float[array, "B S"] is Any

__all__ = ["Bool", "Float", "Int"]
