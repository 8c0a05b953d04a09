"""A progress bar for work that reports how much is done, and how much there is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, unit: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function that shows (done, total) on stderr, if that is a terminal; a smaller `done` restarts the bar."""
    from tqdm import tqdm

    from seq2seq_cli.cli.terminal.safe_stream import bar_stream

    # disable=None: no bar unless stderr is a terminal. By itself, tqdm asks for the width of sys.stderr alone.
    with tqdm(
        desc=title, unit=unit, unit_scale=True, leave=False, file=bar_stream(), dynamic_ncols=True, disable=None
    ) as bar:

        def show(done: int, total: int | None) -> None:
            if done < bar.n:
                bar.reset()
            bar.total = total
            bar.update(done - bar.n)

        yield show
