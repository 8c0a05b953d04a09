"""Time and memory of translating with a run: one sentence, and many, beside JoeyNMT."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from benchmarks.figures import Figure, Goal, ratio
from benchmarks.processes import cold_start, run_s2s

SENTENCES = 2000
_BEAM_SIZE = 5
COLD_SECONDS, COLD_MEGABYTES = Goal(value=0.25, at_most=True), Goal(value=120, at_most=True)
GREEDY_RATE = Goal(value=3000)
TIMES_JOEYNMT = Goal(value=20)


def measure_translation(pairs: Path, run: Path, *, joeynmt: Path | None, rounds: int) -> list[Figure]:
    """One sentence in a new process; 2,000 different ones of `pairs` greedily and with beam 5, as a command and inside.

    `joeynmt` is the config of a trained model of JoeyNMT, in a folder whose ``venv`` has it: it translates the same
    sentences, in turn with ours. Raises RuntimeError when a command fails, or when its beam size is another one.
    """
    if joeynmt:
        _check_beam(joeynmt)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sentences.txt"
        sentences = different_sources(pairs, SENTENCES)
        file.write_text("".join(f"{sentence}\n" for sentence in sentences), encoding="utf-8")
        seconds, peak = cold_start("translate", "--model", str(run), "She kissed him.")
        figures = [
            Figure(name="translate, one sentence, new process", unit="s", values=seconds, goal=COLD_SECONDS),
            Figure(name="translate, one sentence, memory", unit="MB", values=peak, goal=COLD_MEGABYTES),
        ]
        ours, peer = _as_commands(file, run, joeynmt, rounds)
    for beam_size, goal in ((1, GREEDY_RATE), (_BEAM_SIZE, None)):
        rates = _rates(run, sentences, beam_size, rounds)
        figures.append(
            Figure(name=f"translate, beam {beam_size}, in-process", unit="sentences/s", values=rates, goal=goal)
        )
    figures.append(ours)
    return [*figures, peer, ratio("JoeyNMT / s2s", peer, ours, TIMES_JOEYNMT)] if peer else figures


def different_sources(pairs: Path, count: int) -> list[str]:
    """The given number of different sentences of the first column, evenly spaced over the file."""
    with pairs.open(encoding="utf-8") as file:
        sources = list(dict.fromkeys(line.split("\t", 1)[0].strip() for line in file))
    return sources[:: max(1, len(sources) // count)][:count]


def _as_commands(file: Path, run: Path, joeynmt: Path | None, rounds: int) -> tuple[Figure, Figure | None]:
    """Seconds of whole commands with beam search, start included: ours, then JoeyNMT's."""
    ours: list[float] = []
    peer: list[float] = []
    command = ("translate", "--model", str(run), f"--set=decoding.beam_size={_BEAM_SIZE}")
    for _ in range(rounds):
        with file.open("rb") as lines:
            ours.append(run_s2s(*command, stdin=lines).seconds)
        if joeynmt:
            peer.append(_joeynmt_seconds(joeynmt, file))
    name = f"translate, {SENTENCES:,} sentences, beam {_BEAM_SIZE}"
    figure = Figure(name=f"{name}, command", unit="s", values=ours)
    return figure, Figure(name=f"{name}, JoeyNMT", unit="s", values=peer) if peer else None


def _check_beam(joeynmt: Path) -> None:
    beam_size = yaml.safe_load(joeynmt.read_text(encoding="utf-8")).get("testing", {}).get("beam_size", 1)
    if beam_size != _BEAM_SIZE:
        raise RuntimeError(f"{joeynmt}: testing.beam_size is {beam_size}: set it to {_BEAM_SIZE}, as ours")


def _joeynmt_seconds(config: Path, file: Path) -> float:
    # The link is not resolved: its target is the python without the environment.
    folder = config.absolute().parent
    command = [str(folder / "venv" / "bin" / "python"), "-m", "joeynmt", "translate", str(config.absolute())]
    started = time.perf_counter()
    with file.open("rb") as lines:
        done = subprocess.run(command, stdin=lines, capture_output=True, encoding="utf-8", cwd=folder, check=False)
    if done.returncode:
        raise RuntimeError(f"JoeyNMT: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - started


def _rates(run: Path, sentences: Sequence[str], beam_size: int, rounds: int) -> list[float]:
    """Sentences per second in this process, the model loaded and warm."""
    from seq2seq_cli.decoding.load import load  # not above: the commands are measured before anything large is imported

    translator = load(run, overrides=[f"decoding.beam_size={beam_size}"]).translator
    translator.translate(sentences[:64])
    rates = []
    for _ in range(rounds):
        started = time.perf_counter()
        translator.translate(sentences)
        rates.append(len(sentences) / (time.perf_counter() - started))
    return rates
