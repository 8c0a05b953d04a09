"""Environment variables of the libraries below torch and numpy, and of torchrun; without torch."""

import os
import platform
import socket


def prepare_environment() -> None:
    """Set how many threads start, how they wait, and what torch caches; variables that the user has set stay.

    It has an effect before torch and numpy are imported.
    """
    # By default, torch's threads spin while they wait for each other, so long that training beside another busy program
    # is many times slower. With this count they sleep after some hundredths of a millisecond. Measured: with a lower
    # one, waking them costs more; a higher one gains nothing on a quiet machine and loses time on a busy one.
    if "OMP_WAIT_POLICY" not in os.environ:  # the count would override it
        os.environ.setdefault("GOMP_SPINCOUNT", "3000")
    if platform.machine() in ("x86_64", "AMD64"):
        # OneDNN compiles code for each shape of a product in bf16, which takes longer than most products, and keeps
        # it for 1,024 shapes; the batches of a run have some 3,000, in 90 MB more.
        os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "4096")
        # Torch keeps another 1,024, larger ones, which on x86 only save a look-up in OneDNN's cache.
        os.environ.setdefault("LRU_CACHE_CAPACITY", "1")
        # Numpy starts its threads as it is imported, which takes 30 ms, and multiplies no matrices here. On other
        # machines torch may compute with the same library.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def share_temporary_folder() -> None:
    """Keep torch from making a folder for its compiler, which s2s does not use, in the temporary folder.

    The optimisers load the compiler, which makes its folder at once, and nothing removes that.
    """
    import tempfile  # not above: translating does without

    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", tempfile.gettempdir())


def has_other_processes() -> bool:
    """Whether torchrun started this process, and others with it."""
    set_by_torchrun = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
    return all(name in os.environ for name in set_by_torchrun) and os.environ["WORLD_SIZE"] != "1"


def launch_name() -> str | None:
    """The name that all processes of one torchrun share, also after a restart; None without torchrun."""
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    # torchrun calls it "none" when it got a master address and no job id: its process id takes the place.
    return f"{socket.gethostname()} {os.getppid()}" if name == "none" else name
