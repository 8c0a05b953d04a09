"""Let each call of a command that changes the disk fail once, and see that nothing is lost.

    python -m benchmarks.reliability.faults

A run and a preparation, new, over an older one, and resumed, are run once, and their writes, renames, removals and
other calls are counted. Then each runs again for each of these calls and each of three errors, with that call alone
failing. After it, the state before must be there, and the next command must end like one that was never disturbed.
"""

import errno
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import parser_of
from benchmarks.reliability.disk_calls import DiskCalls
from benchmarks.reliability.forks import SCRATCH, Fork, first_lines, prepare_arguments, train_arguments, warm_up
from benchmarks.reliability.kills import differences, leftovers

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
DATA, RUN = Path("data"), Path("runs", "new")
NOTES = (RUN / "notes.txt", RUN / "best" / "photo.jpg", Path("runs", "latest.txt"))
"""Files of the user's."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command, the folder in which it begins, and the folder in which it ends when no call fails."""

    name: str
    arguments: Sequence[str]
    before: Path
    after: Path
    calls: Sequence[str]
    """The calls that change the disk, each with its path."""

    @property
    def trains(self) -> bool:
        """Whether the command trains."""
        return self.arguments[0] == "train"


def make_cases(folder: Path, pairs: Path) -> Iterator[Case]:
    """The cases, each made and run without a failure in `folder`."""
    empty = folder / "empty"
    (empty / SCRATCH).mkdir(parents=True)
    shutil.copyfile(pairs, empty / "pairs.txt")
    prepare, train = prepare_arguments("pairs.txt", DATA), train_arguments(DATA, RUN)
    yield _case("prepare", prepare, empty)
    older = _ran(empty, folder / "older-data", [*prepare, "--set=data.limit=50"])
    yield _case("prepare --overwrite", [*prepare, "--overwrite"], older)
    prepared = _ran(empty, folder / "data", prepare)
    yield _case("train", train, prepared)
    run = _ran(prepared, folder / "run", [*train, "--seed=7", "--set=training.epochs=1"])
    for note in NOTES:
        (run / note).write_text("mine", encoding="utf-8")
    yield _case("train --overwrite", [*train, "--overwrite"], run)
    stopped = _ran(prepared, folder / "stopped", [*train, "--set=training.epochs=1"])
    with (stopped / RUN / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write("a record that no checkpoint knows\n")
    yield _case("train --resume", ["train", "--resume", f"--out={RUN}", "--set=training.epochs=2"], stopped)


def _case(name: str, arguments: Sequence[str], before: Path) -> Case:
    after = before.with_name(f"{name} done")
    record = before.with_name(f"{name} calls")
    _ran(before, after, arguments, record)
    calls = record.read_text(encoding="utf-8").splitlines()
    return Case(name=name, arguments=arguments, before=before, after=after, calls=calls)


def _ran(before: Path, after: Path, arguments: Sequence[str], record: Path | None = None) -> Path:
    """A copy of a folder in which a command was run; RuntimeError when it failed."""
    shutil.copytree(before, after)
    calls = DiskCalls(folder=after, record=record)
    fork = Fork.start(arguments, after, after.with_name("log"), before=calls.install)
    if fork.wait():
        raise RuntimeError(f"s2s {' '.join(arguments)}: {fork.said().strip()}")
    return after


def inject(case: Case, number: int, error: int, folder: Path) -> tuple[int, Sequence[str]]:
    """The exit code of a case in which one call fails, in `folder`, which is made and removed, and what is wrong."""
    shutil.copytree(case.before, folder)
    calls = DiskCalls(folder=folder, fails=number, error=error)
    fork = Fork.start(case.arguments, folder, folder.with_name("log"), before=calls.install)
    code, said = fork.wait(), fork.said()
    problems = [*_ended_badly(code, said), *_lost(case, code, folder)]
    if not problems:
        problems = list(_next_fails(case, code, folder))
    shutil.rmtree(folder)
    return code, problems


def _ended_badly(code: int, said: str) -> Iterator[str]:
    if code not in (0, 1, 2):
        yield f"ends with {code}"
    if "Traceback" in said:
        yield f"prints a traceback: {said.strip().splitlines()[-1]}"
    elif code and len(re.findall("^s2s: error: ", said, flags=re.MULTILINE)) != 1:
        yield f"ends with {code} and no line of its error: {said.strip()}"


def _lost(case: Case, code: int, folder: Path) -> Iterator[str]:
    """What is not as before the command that failed, nor as after it."""
    for note in NOTES:
        if (case.before / note).exists() and not (folder / note).exists():
            yield f"{note} is lost"
    allowed = [case.after, case.before] if code else [case.after]
    if not case.trains and tree(folder / DATA) not in [tree(root / DATA) for root in allowed]:
        yield f"{DATA}/ is neither as before nor new"


def _next_fails(case: Case, code: int, folder: Path) -> Iterator[str]:
    """What is wrong after the next command, with which the user reaches what the first one should have done."""
    is_left = bool(leftovers(folder))
    if not case.trains:
        arguments = case.arguments
    elif code and (folder / RUN / "last" / "training.pt").is_file() and not _is_older(case, folder):
        arguments = ["train", "--resume", f"--out={RUN}", "--set=training.epochs=2"]
    else:
        arguments = train_arguments(DATA, RUN, "--overwrite")
    if code or is_left or not case.trains:
        fork = Fork.start(arguments, folder, folder.with_name("log"))
        if fork.wait():
            yield f"the next command (s2s {' '.join(arguments[:2])}) fails: {fork.said().strip().splitlines()[-1]}"
            return
        if "damaged" in fork.said():
            yield f"the next command finds damage: {fork.said().strip()}"
    yield from _lost(case, 0, folder)
    if case.trains:
        yield from (f"{name} differs" for name in differences(folder / RUN, case.after / RUN))
        # A file system without links has no previous checkpoint, and a failing link stands for one.
        others = (tree(folder / RUN).keys() ^ tree(case.after / RUN).keys()) - {"last/previous.pt"}
        if others:
            yield f"other files are in {RUN}: {', '.join(sorted(others))}"
    for left in (*leftovers(folder), *(folder / SCRATCH).iterdir()):
        yield f"{left.relative_to(folder)} stays"


def _is_older(case: Case, folder: Path) -> bool:
    """Whether the run is still the one that was to be replaced."""
    here, before = (root / RUN / "last" / "training.pt" for root in (folder, case.before))
    return "--overwrite" in case.arguments and here.read_bytes() == before.read_bytes()


def tree(folder: Path) -> dict[str, bytes]:
    """The content of all finished files below a folder, by their paths."""
    unfinished = leftovers(folder)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not unfinished & {path, *path.parents})
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def try_all(folder: Path, pairs: Path, *, every: int) -> bool:
    """Inject errors into every n-th pair of call and error, print the outcomes; True when nothing is lost."""
    warm_up(folder / "warm", pairs)
    injected, bad = 0, 0
    for case in make_cases(folder, pairs):
        kinds = Counter(call.split()[0] for call in case.calls)
        print(f"{case.name}: {len(case.calls)} calls: {', '.join(f'{n} {kind}' for kind, n in kinds.items())}")
        codes: Counter[int] = Counter()
        for number, error in [(number, error) for number in range(len(case.calls)) for error in ERRORS][::every]:
            code, problems = inject(case, number, error, folder / "work")
            injected += 1
            codes[code] += 1
            for problem in problems:
                print(f"  {errno.errorcode[error]} at call {number}, {case.calls[number]}: {problem}", flush=True)
            bad += bool(problems)
        print(f"  ended {', '.join(f'{count} times with {code}' for code, count in sorted(codes.items()))}", flush=True)
    print(f"{injected} errors injected, {bad or 'none'} of them lost something or was told badly")
    return not bad


def main() -> None:
    """Inject, compare and print; exit with 1 when something was lost."""
    parser = parser_of("reliability.faults", __doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every N-th only; default 1: all")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), help="pair file")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        nothing_lost = try_all(home, first_lines(options.pairs, home), every=options.every)
    sys.exit(0 if nothing_lost else 1)


if __name__ == "__main__":
    main()
