"""What is to be set before torch is imported."""

import os
import platform


def prepare_environment() -> None:
    """Tell the libraries below torch how to share this machine, unless the user has told them already."""
    # Torch's threads wait for each other by spinning, by default for so long that training is many times slower beside
    # any other busy program. After some hundredths of a millisecond they are to sleep. Sooner, waking them costs more;
    # later brings nothing on a quiet machine, and on a busy one each product waits longer. Measured.
    if "OMP_WAIT_POLICY" not in os.environ:  # which the number would overrule
        os.environ.setdefault("GOMP_SPINCOUNT", "3000")
    # Products in bf16 have machine code made for each shape, a quarter of a megabyte each. OneDNN keeps it for 1,024
    # shapes; torch keeps another 1,024, larger ones, which on x86 saves it no more than a look into that cache.
    if platform.machine() in ("x86_64", "AMD64"):
        os.environ.setdefault("LRU_CACHE_CAPACITY", "1")
