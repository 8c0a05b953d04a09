"""``s2s train`` as a function: plan, train, report.

Torch takes seconds to load: it is imported after the plan, so that a mistake in the config or the options is told at
once.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.compute.environment import has_other_processes, launch_name
from seq2seq_cli.training.plan import Options, make_plan

if TYPE_CHECKING:
    from seq2seq_cli.training.events import Event, Report


def train(
    config: str | None = None,
    *,
    minutes: float | None = None,
    data: Path | str | None = None,
    out: Path | str | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    overwrite: bool = False,
    init_from: Path | str | None = None,
    on_event: Callable[["Event"], None] = lambda _: None,
) -> "Report | None":
    """Train a translator on a prepared folder, and keep the best weights in a run folder.

    `config` is a config by name or path; without it, a size and noise for the pairs, the minutes and the speed of the
    machine are chosen, or it is the config of the run to go on from. `minutes` are those of training from now on, by
    default those of the config, or 6. `overrides` are keys of it with other values (``"training.lr=3e-4"``). The `data`
    and `text` sections come from the prepared folder. Other values that the folder does not allow are replaced; in
    `overrides` they are an error. `data` is the prepared folder, by default the one of the run to resume, or
    ``data/prepared``; `out` is the run folder, by default one in ``runs/`` named after the config or the minutes, or
    ``RUN_continued`` with `init_from`. With `resume` a run is resumed from its last checkpoint; with `overwrite` a new
    one replaces it; with `init_from` a new one begins with the best weights of another. `on_event` is called with each
    event.

    Returns the report, which is the last event too; None in the processes of torchrun other than the first.

    Raises S2SError: UsageError and other InputErrors before anything is written, TrainingError when training cannot
    continue, Interrupted, with everything saved, when the user stops it.
    """
    options = Options(
        config=config,
        minutes=minutes,
        overrides=overrides,
        data=Path(data) if data else None,
        out=Path(out) if out else None,
        resume=resume,
        overwrite=overwrite,
        init_from=Path(init_from) if init_from else None,
    )
    event = None
    # The run is locked from before its checkpoint is read until the report is written.
    with ExitStack() as locks:
        planned = None if has_other_processes() else make_plan(options, launch=launch_name(), locks=locks)
        from seq2seq_cli.training.events import Report  # not above: torch
        from seq2seq_cli.training.run import run_events

        with closing(run_events(options, planned, locks)) as events:
            for event in events:
                on_event(event)
    return event if isinstance(event, Report) else None
