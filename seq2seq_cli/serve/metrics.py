"""Counts and times of the server, in the text format of Prometheus (version 0.0.4). They hold no texts."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import psutil

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]
"""Names and values, in the order in which they are written."""


class Histogram:
    """Values counted by the bounds that they do not exceed."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def samples(self, name: str) -> Iterator[str]:
        """The lines of the metric of this name."""
        limits = [*map(_number, self._bounds), "+Inf"]
        for limit, count in zip(limits, accumulate(self._counts), strict=True):
            yield _sample(f"{name}_bucket", count, (("le", limit),))
        yield _sample(f"{name}_sum", self._sum)
        yield _sample(f"{name}_count", sum(self._counts))


@dataclass
class Metrics:
    """Counts of answers, texts and times since the server started."""

    requests: Counter[Labels] = field(default_factory=Counter)
    """Answers by ``path`` and ``status``."""
    texts: Counter[Labels] = field(default_factory=Counter)
    """Texts that were translated, by ``source`` and ``target``."""
    characters: Counter[Labels] = field(default_factory=Counter)
    """Their characters."""
    seconds: Histogram = field(
        default_factory=lambda: Histogram((0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0))
    )
    """From the head of a request to translate to the end of its answer."""
    batch_texts: Histogram = field(default_factory=lambda: Histogram((1, 2, 4, 8, 16, 32, 64, 128)))
    """Texts that were translated together."""
    _started: float = field(default_factory=time.time)

    def text(self, *, waiting: int) -> str:
        """All metrics; `waiting` is the number of characters that wait to be translated."""
        lines = [
            *_counter("s2s_requests_total", "Answers by path and status.", self.requests),
            *_counter("s2s_texts_total", "Texts translated.", self.texts),
            *_counter("s2s_characters_total", "Characters of the texts translated.", self.characters),
            *_head("s2s_translate_seconds", "histogram", "Seconds to answer a request to translate."),
            *self.seconds.samples("s2s_translate_seconds"),
            *_head("s2s_batch_texts", "histogram", "Texts translated together."),
            *self.batch_texts.samples("s2s_batch_texts"),
            *_gauge("s2s_waiting_characters", "Characters that wait to be translated.", waiting),
            *_gauge("process_resident_memory_bytes", "Resident memory in bytes.", psutil.Process().memory_info().rss),
            *_gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", self._started),
        ]
        return "".join(f"{line}\n" for line in lines)


def _counter(name: str, text: str, values: Mapping[Labels, int]) -> Iterator[str]:
    yield from _head(name, "counter", text)
    for labels, value in values.items():
        yield _sample(name, value, labels)


def _gauge(name: str, text: str, value: float) -> Iterator[str]:
    yield from _head(name, "gauge", text)
    yield _sample(name, value)


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, value: float, labels: Labels = ()) -> str:
    """A line; the values of labels are words of ours, which need no escapes."""
    listed = ",".join(f'{label}="{text}"' for label, text in labels)
    return f"{name}{{{listed}}} {_number(value)}" if listed else f"{name} {_number(value)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
