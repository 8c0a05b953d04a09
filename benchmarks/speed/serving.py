"""Measure ``s2s serve`` under load: ``python -m benchmarks.speed.serving --run DIR --pairs FILE``.

So many clients, each on a connection of its own, send a sentence, wait for the answer, check it and send the next. Then
the server is stopped while they go on: every request that it has taken must be answered.

Printed are the sentences per second beside a batch in this process, the milliseconds from request to answer,
the memory of the server, and what went wrong. Linux and macOS only.
"""

import itertools
import json
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil

from benchmarks import parser_of
from benchmarks.figures import Figure, Goal, ratio, table
from benchmarks.speed.translation import SENTENCES, different_sources
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.load import LoadedRun, load
from seq2seq_cli.errors import S2SError

SHARE = Goal(value=0.7)
"""Throughput of the server, as a fraction of a batch in a process."""
GROWTH = Goal(value=1.05, at_most=True)
"""Memory at the end, relative to the memory after a third of the time."""
_WAIT = 30.0
"""Seconds after which a client without an answer gives up."""


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    seconds: float
    content: bytes
    closes: bool
    """Whether the server closes the connection after it: it is stopping."""


@dataclass
class Load:
    """What the clients ask for."""

    expected: dict[str, str]
    """The translation of each sentence."""
    languages: tuple[str, str]

    def __post_init__(self) -> None:
        self.sentences = itertools.cycle(self.expected)


@dataclass
class Outcome:
    """What the clients saw, and what it cost the server."""

    seconds: list[float] = field(default_factory=list)
    """From each request to its right answer."""
    wrong: list[str] = field(default_factory=list)
    """Answers of another status, or with another translation."""
    lost: int = 0
    """Requests without an answer: the connection was closed, or nothing came."""
    elapsed: float = 0.0
    """Seconds of the load."""
    cpu: float = 0.0
    """CPU time of the server in these, in seconds."""
    memory: list[float] = field(default_factory=list)
    """Of the server in MB, after a third of the load and at its end."""


class Client:
    """A connection that sends one request after the other."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address)
        self.sentence = ""
        self._received = b""
        self._since = 0.0

    def ask(self, sentence: str, languages: tuple[str, str]) -> None:
        """Send a sentence to translate."""
        fields = {"q": sentence, "source": languages[0], "target": languages[1]}
        body = json.dumps(fields).encode()
        head = f"POST /translate HTTP/1.1\r\nHost: s2s\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        self.sentence, self._received, self._since = sentence, b"", time.perf_counter()
        self.socket.sendall(head.encode() + b"\r\n\r\n" + body)

    def read(self) -> Answer | None:
        """The answer, once it is whole; raises ConnectionError when the server has closed the connection."""
        received = self.socket.recv(2**16)
        if not received:
            raise ConnectionResetError
        self._received += received
        head, separator, content = self._received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        if not separator or length is None or len(content) < int(length[1]):
            return None
        closes = b"\r\nconnection: close" in head.lower()
        return Answer(int(head.split(b" ", 2)[1]), time.perf_counter() - self._since, content, closes)


def measure_serving(run: Path, pairs: Path, *, clients: int, seconds: float) -> tuple[list[Figure], list[str]]:
    """The figures of a server under load, and what went wrong."""
    sentences = different_sources(pairs, SENTENCES)
    loaded = load(run)
    codecs = loaded.translator.src_codec, loaded.translator.tgt_codec
    asked = Load(
        expected=dict(zip(sentences, loaded.translate(sentences), strict=True)),
        languages=(codecs[0].config.language, codecs[1].config.language),
    )
    with serving(run) as (server, address):
        in_process = [_rates(loaded, sentences)]
        outcome, begun, cpu = Outcome(), time.perf_counter(), _cpu(server)
        for part in (seconds / 3, 2 * seconds / 3):
            _load(address, clients, part, asked, outcome)
            outcome.memory.append(server.memory_info().rss / 1e6)
        outcome.elapsed, outcome.cpu = time.perf_counter() - begun, _cpu(server) - cpu
        in_process.append(_rates(loaded, sentences))
        stopped = Outcome()
        _load(address, clients, 5, asked, stopped, stop=server)
        code = server.wait(_WAIT)
    wrong = [*outcome.wrong, *stopped.wrong]
    if lost := outcome.lost + stopped.lost:
        wrong.append(f"{counted(lost, 'request')} lost")
    if code:
        wrong.append(f"it ended with {code}")
    return _figures(clients, outcome, stopped, in_process), wrong


def _figures(
    clients: int, outcome: Outcome, stopped: Outcome, in_process: Sequence[tuple[float, float]]
) -> list[Figure]:
    """The figures of the outcomes under load and while the server stopped, and of batches in this process."""
    seconds, memory = outcome.seconds, outcome.memory
    rate = Figure(name=f"s2s serve, {clients} clients", unit="sentences/s", values=[len(seconds) / outcome.elapsed])
    cpu_rate = Figure(name="  per second of CPU time", unit="sentences/s", values=[len(seconds) / outcome.cpu])
    rates, cpu_rates = zip(*in_process, strict=True)
    batch = Figure(name=f"a batch of {SENTENCES:,}, in-process", unit="sentences/s", values=rates)
    cpu_batch = Figure(name="  per second of CPU time", unit="sentences/s", values=cpu_rates)
    return [
        *(batch, cpu_batch, rate, cpu_rate),
        ratio("share of the batch", rate, batch, SHARE),
        ratio("share of the batch, in CPU time", cpu_rate, cpu_batch, SHARE),
        *(
            Figure(name=f"  answer, p{p}", unit="ms", values=[1000 * float(np.percentile(seconds, p))])
            for p in (50, 95, 99)
            if seconds
        ),
        Figure(name="  memory", unit="MB", values=memory),
        Figure(name="  memory, at the end / before", unit="times", values=[memory[1] / memory[0]], goal=GROWTH),
        Figure(name="  answers", unit="", values=[len(seconds)]),
        Figure(name="  answers while it stopped", unit="", values=[len(stopped.seconds)]),
        Figure(name="  requests lost", unit="", values=[outcome.lost + stopped.lost], goal=Goal(value=0, at_most=True)),
    ]


@contextmanager
def serving(run: Path) -> Iterator[tuple[psutil.Popen, tuple[str, int]]]:
    """A server of a run with its address, in a process of its own."""
    command = [sys.executable, "-m", "seq2seq_cli", "serve", "--port", "0", "--model", str(run)]
    with psutil.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            told = ""
            while not (place := re.search(r"http://([\d.]+):(\d+)", told)):  # warnings come before it
                if not (line := server.stderr.readline()):
                    raise RuntimeError(told.strip())
                told += line
            yield server, (place[1], int(place[2]))
        finally:
            if server.poll() is None:
                server.kill()


def _rates(loaded: LoadedRun, sentences: Sequence[str]) -> tuple[float, float]:
    """Sentences of a batch per second, and per second of CPU time."""
    started, cpu = time.perf_counter(), time.process_time()
    loaded.translator.translate(sentences)
    return len(sentences) / (time.perf_counter() - started), len(sentences) / (time.process_time() - cpu)


def _cpu(server: psutil.Popen) -> float:
    times = server.cpu_times()
    return float(times.user + times.system)


def _load(
    address: tuple[str, int], clients: int, seconds: float, load: Load, seen: Outcome, stop: psutil.Popen | None = None
) -> None:
    """Let the clients ask for so many seconds, then wait for the last answers; `stop` is stopped after half of them."""
    selector = selectors.DefaultSelector()
    now = time.perf_counter()
    end, stop_at = now + seconds, now + seconds / 2
    for _ in range(clients):
        client = Client(address)
        client.ask(next(load.sentences), load.languages)
        selector.register(client.socket, selectors.EVENT_READ, client)
    while selector.get_map() and (now := time.perf_counter()) < end + _WAIT:
        if stop is not None and now > stop_at:
            stop.send_signal(signal.SIGTERM)
            stop = None
        for key, _ in selector.select(timeout=0.1):
            if _is_done(key.data, load, seen, is_over=now > end):
                selector.unregister(key.fileobj)
                key.data.socket.close()
    seen.lost += len(selector.get_map())


def _is_done(client: Client, load: Load, outcome: Outcome, *, is_over: bool) -> bool:
    """Read what there is for a client, and let it ask again; whether its connection is to be closed."""
    try:
        answer = client.read()
        if answer is None:
            return False
        expected = load.expected[client.sentence]
        if answer.status == HTTPStatus.OK and json.loads(answer.content)["translatedText"] == expected:
            outcome.seconds.append(answer.seconds)
        else:
            outcome.wrong.append(f"{answer.status}: {client.sentence}: {answer.content.decode()}")
        if is_over or answer.closes:
            return True
        client.ask(next(load.sentences), load.languages)
    except ConnectionError:
        outcome.lost += 1
        return True
    return False


def main() -> None:
    """Parse, measure, print; exit with 1 when anything went wrong."""
    parser = parser_of("speed.serving", "Measure s2s serve under load.")
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="run to translate with")
    parser.add_argument("--pairs", type=Path, required=True, metavar="FILE", help="pair file with the sentences")
    parser.add_argument("--clients", type=int, default=64, metavar="N", help="connections; default 64")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="length of the load; default 60")
    options = parser.parse_args()
    try:
        figures, wrong = measure_serving(options.run, options.pairs, clients=options.clients, seconds=options.seconds)
    except (S2SError, RuntimeError, OSError) as error:
        sys.exit(f"benchmarks.speed.serving: {error}")
    print("\n".join(table(figures)))
    print("\n".join(f"wrong: {each}" for each in wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
