"""A progress bar for commands whose work reports what is done so far, and of how much."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, unit: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function that shows (done, total) on stderr, where that is a terminal; a smaller `done` begins anew."""
    from tqdm import tqdm

    # disable=None: no bar unless stderr is a terminal.
    with tqdm(desc=title, unit=unit, unit_scale=True, leave=False, disable=None) as bar:

        def show(done: int, total: int | None) -> None:
            if done < bar.n:
                bar.reset()
            bar.total = total
            bar.update(done - bar.n)

        yield show
