"""Prepare sentence pairs with the workers of a Dask cluster, for files that take one machine too long.

    pip install '.[dask]'              # here and on the workers, in the same versions
    dask scheduler                     # on one machine
    dask worker tcp://HOST:8786        # on the others
    python examples/prepare_on_dask.py tcp://HOST:8786 deu.txt data/prepared

The prepared folder is the same, byte by byte, as the one that `s2s prepare` makes.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from distributed import Client

from seq2seq_cli.compute.workers import Workers
from seq2seq_cli.preparation.pipeline import prepare


@contextmanager
def dask_workers(scheduler: str, _total_bytes: int) -> Iterator[Workers]:
    """The workers of a cluster, one task per thread of theirs at a time."""
    with Client(scheduler, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(1)
        yield Workers(executor=client.get_executor(), count=sum(client.nthreads().values()))  # type: ignore[no-untyped-call]


def main() -> None:
    """Prepare the file that is named on the command line."""
    parser = argparse.ArgumentParser(description="Prepare sentence pairs with the workers of a Dask cluster.")
    parser.add_argument("scheduler", help="its address: tcp://HOST:PORT")
    parser.add_argument("pairs", type=Path, help="pair file")
    parser.add_argument("out", type=Path, help="folder to make")
    given = parser.parse_args()
    prepare(given.pairs, out=given.out, open_workers=partial(dask_workers, given.scheduler))


if __name__ == "__main__":
    main()
