"""Sentences of several requests, translated together."""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias

from seq2seq_cli.decoding.keep import Piece
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.serve.limits import cost

_MOST_SENTENCES = 16
"""Sentences of a batch: larger ones gain little, and the next sentences wait for their end."""
_SENTENCES_PER_TURN = 8
"""Sentences of a request that are translated before those of others have their turn."""
_MOST_SPLIT_HERE = 2**12
"""Characters that are split into sentences in the thread of the event loop: some milliseconds."""
_GATHERING_SHARE = 0.5
"""Longest wait for more sentences, as a share of the time of the batch before."""


_Outcome: TypeAlias = list[SentenceTranslation] | Exception


class QueueFullError(Exception):
    """More text waits than the server may keep."""


@dataclass(frozen=True, eq=False)
class _Job:
    translator: Translator
    number: int
    """Of the sentence in its text."""
    piece: Piece
    turn: int
    done: "asyncio.Future[list[SentenceTranslation]]"


@dataclass
class _Gathering:
    """A wait for the next sentences of those whose sentences were answered."""

    answered: int = 0
    """Sentences that were answered, less those that came since."""
    most: int = 0
    """Number of waiting sentences with which no batch waits for more."""
    end: float = 0.0
    """Its latest end, by the clock of the event loop."""


class Batcher:
    """Translates the sentences that wait in one batch, as soon as one of its threads is free.

    While all threads translate, sentences gather, so that batches grow with the load. After a batch, a free thread
    waits for as many again, at most half as long as the batch took: clients that have their answers send their next
    texts then, and a thread that began with the first of them would never have a large batch. No thread takes more than
    its share of all sentences: another would have small batches only, time after time. A batch has one translator,
    which its first sentence names. All methods must be called in the thread of the event loop.

    Requests take turns, so that a short one need not wait for the end of a long one: start-time fair queueing, Goyal et
    al. 1996, section 2, with _SENTENCES_PER_TURN in the place of a packet.
    """

    def __init__(self, threads: int, *, max_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="translate")
        self._threads = self._free = threads
        self._max_waiting = max_waiting
        self._jobs: list[_Job] = []
        """The sentences that wait, by their turns; within a turn the oldest first."""
        self._turn = 0
        """That of the last sentence whose translation was begun."""
        self._gathering = _Gathering()
        self._translating = 0
        """Sentences that are being translated."""

    @property
    def waiting(self) -> int:
        """The characters that wait."""
        return sum(cost(job.piece.source) for job in self._jobs)

    async def translate(self, translator: Translator, texts: Sequence[str]) -> list[Translation]:
        """The translations of texts. When the caller is cancelled, sentences that still wait are not translated.

        Raises QueueFullError when too much waits already, and what the translator raises for one of these texts.
        """
        new = sum(map(cost, texts))
        splitting = map(translator.split, texts)
        passages = list(splitting) if new <= _MOST_SPLIT_HERE else await asyncio.to_thread(list, splitting)
        if self._jobs and self.waiting + new > self._max_waiting:
            raise QueueFullError
        pieces = [piece for passage in passages for piece in enumerate(passage.pieces)]
        new_future = asyncio.get_running_loop().create_future
        jobs = [
            _Job(translator, number, piece, self._turn + i // _SENTENCES_PER_TURN, new_future())
            for i, (number, piece) in enumerate(pieces)
        ]
        self._jobs = sorted(self._jobs + jobs, key=lambda job: job.turn)
        self._gathering.answered = max(0, self._gathering.answered - len(jobs))
        self._start()
        try:
            found = iter(await asyncio.gather(*(job.done for job in jobs)))
        finally:
            if any(job.done.cancelled() for job in jobs):
                self._jobs = [job for job in self._jobs if not job.done.cancelled()]
        return [translator.join(passage, list(islice(found, len(passage.pieces)))) for passage in passages]

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
            batch = self._take(min(share, _MOST_SENTENCES))
            self._free -= 1
            self._translating += len(batch)
            running = loop.run_in_executor(self._pool, _translate, batch)
            running.add_done_callback(partial(self._finish, batch, loop.time()))

    def _take(self, most: int) -> list[_Job]:
        """The next sentences, so many at most, all with the translator of the first one."""
        translator = self._jobs[0].translator
        batch = list(islice((job for job in self._jobs if job.translator == translator), most))
        taken = set(batch)
        self._jobs = [job for job in self._jobs if job not in taken]
        self._turn = batch[-1].turn
        return batch

    def _finish(self, batch: Sequence[_Job], started: float, done: "asyncio.Future[list[_Outcome]]") -> None:
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
        """Wait no more for sentences, unless a later batch set another end.

        The clock is not asked: a loop may call this a little before the time, and calls it once.
        """
        if self._gathering.end == end:
            self._gathering = _Gathering()
        self._start()


def _translate(batch: Sequence[_Job]) -> list[_Outcome]:
    """The translations of each sentence, or the error that it raises: it must not fail those beside it."""
    try:
        return list(batch[0].translator.translate_sentences([(job.number, job.piece) for job in batch]))
    except Exception as error:
        return [error] if len(batch) == 1 else [outcome for job in batch for outcome in _translate([job])]
