"""Texts of several requests, translated together."""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice

from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.serve.limits import cost

_MOST_TEXTS = 128
"""Texts of a batch: larger ones gain little, and the next texts wait for their end."""
_MOST_CHARACTERS = 2**14
"""Characters of a batch, unless a single text has more."""
_GATHERING_SHARE = 0.5
"""Longest wait for more texts, as a share of the time of the batch before."""


class QueueFullError(Exception):
    """More text waits than the server may keep."""


@dataclass(frozen=True, eq=False)
class _Job:
    translator: Translator
    text: str
    done: "asyncio.Future[Translation]"


@dataclass
class _Gathering:
    """A wait for the next texts of those whose texts were answered."""

    answered: int = 0
    """Texts that were answered, less the texts that came since."""
    most: int = 0
    """Number of waiting texts with which no batch waits for more."""
    end: float = 0.0
    """Its latest end, by the clock of the event loop."""


class Batcher:
    """Translates the texts that wait in one batch, as soon as one of its threads is free.

    While all threads translate, texts gather, so that batches grow with the load. After a batch, a free thread waits
    for as many texts again, at most half as long as the batch took: clients that have their answers send their next
    texts then, and a thread that began with the first of them would never have a large batch. No thread takes more than
    its share of all texts: another would have small batches only, time after time. A batch has one translator, which
    the oldest text names. All methods must be called in the thread of the event loop.
    """

    def __init__(self, threads: int, *, max_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="translate")
        self._threads = self._free = threads
        self._max_waiting = max_waiting
        self._jobs: list[_Job] = []
        """The texts that wait, the oldest first."""
        self._gathering = _Gathering()
        self._translating = 0
        """Texts that are being translated."""

    @property
    def waiting(self) -> int:
        """The characters that wait."""
        return sum(cost(job.text) for job in self._jobs)

    async def translate(self, translator: Translator, texts: Sequence[str]) -> list[Translation]:
        """The translations of texts. When the caller is cancelled, texts that still wait are not translated.

        Raises QueueFullError when too much waits already, and what the translator raises for one of these texts.
        """
        if self._jobs and self.waiting + sum(map(cost, texts)) > self._max_waiting:
            raise QueueFullError
        loop = asyncio.get_running_loop()
        jobs = [_Job(translator, text, loop.create_future()) for text in texts]
        self._jobs += jobs
        self._gathering.answered = max(0, self._gathering.answered - len(jobs))
        self._start()
        try:
            return await asyncio.gather(*(job.done for job in jobs))
        finally:
            if any(job.done.cancelled() for job in jobs):
                self._jobs = [job for job in self._jobs if not job.done.cancelled()]

    def close(self) -> None:
        """End the threads once they have no batch left."""
        self._pool.shutdown(wait=False)

    def _start(self) -> None:
        """Give each free thread a batch, as long as there are any."""
        loop = asyncio.get_running_loop()
        while self._free and self._jobs:
            waiting = len(self._jobs)
            share = math.ceil((self._translating + waiting + self._gathering.answered) / self._threads)
            if waiting < min(share, self._gathering.most):
                return
            translator, batch = self._take(min(share, _MOST_TEXTS))
            self._free -= 1
            self._translating += len(batch)
            texts = [job.text for job in batch]
            running = loop.run_in_executor(self._pool, _translate, translator, texts)
            running.add_done_callback(partial(self._finish, batch, loop.time()))

    def _take(self, most: int) -> tuple[Translator, list[_Job]]:
        """The next texts, so many at most, and their translator."""
        translator = self._jobs[0].translator
        of_translator = list(islice((job for job in self._jobs if job.translator == translator), most))
        sizes = accumulate(cost(job.text) for job in of_translator)
        fitting = sum(size <= _MOST_CHARACTERS for size in sizes)
        batch = of_translator[: max(1, fitting)]
        taken = set(batch)
        self._jobs = [job for job in self._jobs if job not in taken]
        return translator, batch

    def _finish(
        self, batch: Sequence[_Job], started: float, done: "asyncio.Future[list[Translation | Exception]]"
    ) -> None:
        self._free += 1
        self._translating -= len(batch)
        for job, outcome in zip(batch, done.result(), strict=True):
            if job.done.done():
                continue
            if isinstance(outcome, Exception):
                job.done.set_exception(outcome)
            else:
                job.done.set_result(outcome)
        now = (loop := asyncio.get_running_loop()).time()
        gathering = self._gathering
        gathering.answered += len(batch)
        gathering.most = max(gathering.most, len(batch))
        gathering.end = max(gathering.end, now + _GATHERING_SHARE * (now - started))
        loop.call_at(gathering.end, self._end_gathering, gathering.end)
        self._start()

    def _end_gathering(self, end: float) -> None:
        """Wait no more for texts, unless a later batch set another end.

        The clock is not asked: a loop may call this a little before the time, and calls it once.
        """
        if self._gathering.end == end:
            self._gathering = _Gathering()
        self._start()


def _translate(translator: Translator, texts: Sequence[str]) -> list[Translation | Exception]:
    """The translation of each text, or the error that it raises: it must not fail those beside it."""
    try:
        return list(translator.translate_here(texts))
    except Exception as error:
        if len(texts) == 1:
            return [error]
        return [outcome for text in texts for outcome in _translate(translator, [text])]
