"""What is to be set before torch is imported."""

import os


def prepare_process() -> None:
    """Tell the libraries below torch how to share this machine, unless the user has told them already."""
    # Torch's threads wait for each other by spinning, by default for so long that training is many times slower beside
    # any other busy program. After some ten microseconds they are to sleep: sooner, waking them costs more than that.
    os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    # Products in bf16 have machine code made for each shape, a quarter of a megabyte each, which is kept: of 1,024
    # shapes by default. Those of the sample's batches, which come again each epoch, have room in less.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "512")
