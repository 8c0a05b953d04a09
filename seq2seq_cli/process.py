"""What is to be set before torch is imported."""

import os


def prepare_process() -> None:
    """Tell the libraries below torch how to share this machine, unless the user has told them already."""
    # Torch's threads wait for each other by spinning, by default for so long that training is many times slower beside
    # any other busy program. After some tenths of a millisecond they are to sleep: sooner, waking them costs more.
    if "OMP_WAIT_POLICY" not in os.environ:  # which the number would overrule
        os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    # Products in bf16 have machine code made for each shape, a quarter of a megabyte each, which is kept: of 1,024
    # shapes by default. Those of the sample's batches, which come again each epoch, have room in less.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "512")
    # Torch keeps another 1,024 of them, which saves it no more than a look into that cache.
    os.environ.setdefault("LRU_CACHE_CAPACITY", "1")
