"""The variables that torchrun sets for the processes that it starts; read without torch."""

import os
import socket

ENVIRONMENT = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""The variables that torchrun sets."""


def has_other_processes() -> bool:
    """Whether torchrun started this process, and others with it."""
    return all(name in os.environ for name in ENVIRONMENT) and os.environ["WORLD_SIZE"] != "1"


def launch_name() -> str | None:
    """The name that all processes of one torchrun share, also after a restart; None without torchrun."""
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    # torchrun calls it "none" when it got a master address and no job id: its process id takes the place.
    return f"{socket.gethostname()} {os.getppid()}" if name == "none" else name
