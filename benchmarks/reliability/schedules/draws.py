"""The commands and the deeds of a schedule, drawn at random, with the exit codes expected of each."""

import contextlib
import json
import random
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reliability.forks import prepare_arguments, train_arguments
from benchmarks.reliability.schedules.home import DATA, RUNS, Command, Deed, Home

PLACES = (
    *("data/a/notes.txt", "data/b/photo.jpg", "data/.a.mine.unfinished", "data/notes.txt"),
    *("runs/x/notes.txt", "runs/x/best/photo.jpg", "runs/y/last/notes.txt", "runs/.x.mine.unfinished"),
    *("models/z/epochs/mine.txt", "models/latest", "runs/latest", "map.html"),
)
"""The places where the user saves files."""


@dataclass(kw_only=True)
class Draws:
    """Commands and deeds in a folder."""

    home: Home
    chance: random.Random
    span: float
    """The seconds that a run takes."""
    seeds: int = 0
    """Trainings so far."""

    def command(self) -> Command:
        """A command drawn at random, with what it is expected to come to."""
        chance = self.chance
        command = chance.choices([self._prepare, self._train, self._resume, self._translate], [3, 5, 3, 1])[0]()
        command.starts = chance.uniform(0, self.span / 2)
        if chance.random() < 0.45:
            number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT])
            command.kill = chance.uniform(0, 1.2 * self.span), number
        return command

    def _prepare(self) -> Command:
        out, limit, overwrite = self.chance.choice(DATA), self.chance.choice([60, 50]), self.chance.random() < 0.5
        more = [f"--set=data.limit={limit}", *(["--overwrite"] if overwrite else [])]
        folder = self.home.folder / out
        if not folder.exists():
            expected = {0}
        elif out not in self.home.whole:
            expected = {2} if self.home.of_user(out) else {0, 2}
        elif overwrite:
            expected = {2} if self.home.of_user(out) else {0}
        else:
            expected = {0, 2}
        return Command(
            arguments=prepare_arguments("pairs.txt", out, *more), writes={out}, replaces=overwrite, expected=expected
        )

    def _train(self) -> Command:
        out, data, overwrite = self.chance.choice(RUNS), self.chance.choice(DATA), self.chance.random() < 0.6
        self.seeds += 1
        more = [f"--seed={self.seeds}", *(["--overwrite"] if overwrite else [])]
        if data not in self.home.whole:
            expected = {2}
        elif self.home.holds_run(out):
            expected = {0} if overwrite else {2}
        else:
            expected = {2} if self.home.of_user(out) else {0}
        arguments = train_arguments(data, out, f"--set=training.epochs={self.chance.randint(1, 2)}", *more)
        return Command(
            arguments=arguments, reads={data}, writes={out}, replaces=overwrite, expected=expected, seed=self.seeds
        )

    def _resume(self) -> Command:
        return self._resume_run(self.chance.choice(RUNS))

    def _resume_run(self, out: str) -> Command:
        arguments = ["train", "--resume", "--out", out, f"--set=training.epochs={self.chance.randint(1, 3)}"]
        expected, reads = {2}, set()
        if self.home.saved.get(out):
            corpus = json.loads((self.home.folder / out / "corpus.json").read_bytes())
            reads = {corpus["folder"]}
            same = reads <= self.home.whole and self.home.corpus(corpus["folder"]).fingerprint == corpus["fingerprint"]
            expected = {0} if same else {2}
        return Command(arguments=arguments, reads=reads, writes={out}, expected=expected)

    def _translate(self) -> Command:
        run, overwrite = self.chance.choice(RUNS), self.chance.random() < 0.5
        arguments = ["translate", "--model", run, "--draw", "map.html", "she kissed him ."]
        there = (self.home.folder / run / "best" / "model.safetensors").is_file()
        taken = (self.home.folder / "map.html").exists() and not overwrite
        return Command(
            arguments=[*arguments, *(["--overwrite"] if overwrite else [])],
            reads={run},
            writes={"map.html"},
            replaces=overwrite,
            expected={0} if there and not taken else {2},
        )

    def deeds(self) -> list[Deed]:
        """What the user does in a round."""
        kinds = self.chance.choices([self._save, self._remove, self._copy], [6, 1, 1], k=self.chance.randint(0, 3))
        return [kind(self.chance.uniform(0, 1.5 * self.span)) for kind in kinds]

    def _save(self, at: float) -> Deed:
        place, content = self.chance.choice(PLACES), b"mine: %d\n" % self.chance.randrange(10**9)
        path = self.home.folder / place

        def save() -> None:
            with contextlib.suppress(OSError):  # a folder that is renamed meanwhile
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                self.home.mine[place] = content

        return Deed(at=at, words=f"saves {place}", writes=_touched(place), do=save)

    def _remove(self, at: float) -> Deed:
        place = self.chance.choice([*DATA, *RUNS])

        def remove() -> None:
            for kept in [kept for kept in self.home.mine if Path(kept).is_relative_to(place)]:
                del self.home.mine[kept]
            self.home.saved[place] = None
            self.home.whole.discard(place)
            shutil.rmtree(self.home.folder / place, ignore_errors=True)

        return Deed(at=at, words=f"removes {place}", writes={place}, do=remove)

    def _copy(self, at: float) -> Deed:
        source, target = self.chance.sample(RUNS, 2)

        def copy() -> None:
            if not (self.home.folder / target).exists():
                with contextlib.suppress(OSError, shutil.Error):  # files that a run renames meanwhile
                    shutil.copytree(self.home.folder / source, self.home.folder / target)
                for place in [place for place in self.home.mine if Path(place).is_relative_to(source)]:
                    copied = Path(target, Path(place).relative_to(source)).as_posix()
                    if (self.home.folder / copied).is_file():
                        self.home.mine[copied] = (self.home.folder / copied).read_bytes()

        return Deed(at=at, words=f"copies {source} to {target}", writes={target}, do=copy)

    def last(self) -> list[Command]:
        """The next commands, which must work: one run is finished and one corpus prepared again."""
        run, data = self.chance.choice(RUNS), self.chance.choice(DATA)
        prepare = Command(
            arguments=prepare_arguments("pairs.txt", data, "--overwrite"),
            writes={data},
            replaces=True,
            expected={2} if self.home.of_user(data) else {0},
        )
        if not self.home.saved.get(run):
            return [prepare]
        resume = self._resume_run(run)
        return [resume] if resume.reads == {data} else [prepare, resume]


def _touched(place: str) -> set[str]:
    """The folder of ours in which a place is, or the place itself."""
    return {next((folder for folder in (*DATA, *RUNS) if Path(place).is_relative_to(folder)), place)}
