"""Sentences of several requests, translated together."""

import asyncio
import math
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TypeAlias

from seq2seq_cli.decoding.keep import Piece
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.decoding.translator import Translator

_MOST_SENTENCES = 16
"""Sentences of a batch, or as many as requests wait: others gain little, and the next sentences wait for its end."""
_LARGEST_BATCH = 128
"""Sentences of a batch, however many requests wait: a bound for its time and memory."""
_SENTENCES_PER_TURN = 8
"""Sentences of a request that are translated before the next request has its turn."""
_MOST_SPLIT_HERE = 2**9
"""Characters that are split into sentences in the thread of the event loop: some milliseconds in any language."""
_GATHERING_SHARE = 0.5
"""Longest wait for more sentences, as a share of the time of the batch before."""

_Outcome: TypeAlias = list[SentenceTranslation] | Exception


def cost(text: str) -> int:
    """The characters that a text counts as: not even an empty one is free."""
    return len(text) + 1


@dataclass(frozen=True, eq=False)
class _Sentence:
    request: "_Request"
    number: int
    """Its place in its text."""
    piece: Piece
    done: "asyncio.Future[list[SentenceTranslation]]"


@dataclass(eq=False)
class _Request:
    translator: Translator
    sentences: int = 0
    """Sentences that are not translated yet."""
    waiting: deque[_Sentence] = field(default_factory=deque)
    """Those of them whose translation has not begun."""


class Batcher:
    """Translates the sentences that wait in one batch, as soon as one of its threads is free.

    Requests take turns, _SENTENCES_PER_TURN sentences each: a short one waits for one turn of each of the others, and
    not for the end of a long one, which has its turn in every round (deficit round robin, Shreedhar & Varghese 1995).
    A batch has one translator, that of the request whose turn it is.

    While all threads translate, sentences gather, so that batches grow with the load. After a batch, a free thread
    waits for as many again, at most half as long as the batch took: clients that have their answers send their next
    requests then, and a thread that began with the first of them would never have a large batch. No thread takes more
    than its share of all sentences: another would have small batches only, time after time. All methods must be called
    in the thread of the event loop.
    """

    def __init__(self, threads: int, *, max_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="translate")
        self._threads = self._free = threads
        self._max_waiting = max_waiting
        self.waiting = 0
        """The characters of the requests that are not answered yet."""
        self._requests: deque[_Request] = deque()
        """Those with sentences that wait, in the order of their turns."""
        self._translating = 0
        """Sentences that are being translated."""
        self._answered = 0
        """Requests that were answered, less those that came since; each counts as a sentence to come."""
        self._enough = 0
        """Number of waiting sentences with which no batch waits for more."""
        self._wait_end = 0.0
        """Latest end of the wait for them, by the clock of the event loop."""

    async def translate(self, translator: Translator, texts: Sequence[str]) -> list[Translation]:
        """The translations of texts. When the caller is cancelled, sentences that still wait are not translated.

        Raises asyncio.QueueFull when too much waits already, and what the translator raises for one of these texts.
        """
        characters = len(translator.demands.prefix) + sum(map(cost, texts))
        if self.waiting and self.waiting + characters > self._max_waiting:
            raise asyncio.QueueFull
        self.waiting += characters
        request, new_future = _Request(translator), asyncio.get_running_loop().create_future
        try:
            splitting = map(translator.split, texts)
            # Long texts in another thread, so that other requests go on.
            is_short = characters <= _MOST_SPLIT_HERE
            passages = list(splitting) if is_short else await asyncio.to_thread(list, splitting)
            for passage in passages:
                for number, piece in enumerate(passage.pieces):
                    request.waiting.append(_Sentence(request, number, piece, new_future()))
            if sentences := list(request.waiting):
                request.sentences = len(sentences)
                self._requests.append(request)
            self._answered = max(0, self._answered - 1)
            self._start()
            found = iter(await asyncio.gather(*(sentence.done for sentence in sentences)))
        finally:
            self.waiting -= characters
            request.waiting.clear()
            if request in self._requests:
                self._requests.remove(request)
        return [translator.join(passage, list(islice(found, len(passage.pieces)))) for passage in passages]

    def _start(self) -> None:
        """Give each free thread a batch, as long as there are any."""
        loop = asyncio.get_running_loop()
        while self._free and self._requests:
            waiting = sum(len(request.waiting) for request in self._requests)
            share = math.ceil((self._translating + waiting + self._answered) / self._threads)
            if self._answered and waiting < min(share, self._enough):
                return
            most = min(max(_MOST_SENTENCES, len(self._requests)), _LARGEST_BATCH)
            batch = self._take(min(share, most))
            self._free -= 1
            self._translating += len(batch)
            running = loop.run_in_executor(self._pool, _translate, batch)
            running.add_done_callback(partial(self._finish, batch, loop.time()))

    def _take(self, most: int) -> list[_Sentence]:
        """The sentences whose turn it is, so many at most, all with one translator."""
        translator = self._requests[0].translator
        batch: list[_Sentence] = []
        while len(batch) < most:
            request = next((each for each in self._requests if each.translator == translator), None)
            if request is None:
                break
            self._requests.remove(request)
            size = min(_SENTENCES_PER_TURN, most - len(batch), len(request.waiting))
            batch += [request.waiting.popleft() for _ in range(size)]
            if request.waiting:
                self._requests.append(request)
        return batch

    def _finish(self, batch: Sequence[_Sentence], started: float, done: "asyncio.Future[list[_Outcome]]") -> None:
        self._free += 1
        self._translating -= len(batch)
        for sentence, outcome in zip(batch, done.result(), strict=True):
            if sentence.done.done():
                continue
            sentence.request.sentences -= 1
            self._answered += sentence.request.sentences == 0
            if isinstance(outcome, Exception):
                sentence.done.set_exception(outcome)
            else:
                sentence.done.set_result(outcome)
        now = (loop := asyncio.get_running_loop()).time()
        self._enough = max(self._enough, len(batch))
        self._wait_end = max(self._wait_end, now + _GATHERING_SHARE * (now - started))
        loop.call_at(self._wait_end, self._end_wait, self._wait_end)
        self._start()

    def _end_wait(self, end: float) -> None:
        """Wait no more for requests, unless a later batch set another end."""
        if self._wait_end == end:  # the clock is not asked: a loop may call a little before the time, and calls once
            self._answered, self._enough, self._wait_end = 0, 0, 0.0
        self._start()


def _translate(batch: Sequence[_Sentence]) -> list[_Outcome]:
    """The translations of each sentence, or the error that it raises: it must not fail those beside it."""
    try:
        translator = batch[0].request.translator
        return list(translator.translate_sentences([(sentence.number, sentence.piece) for sentence in batch]))
    except Exception as error:
        return [error] if len(batch) == 1 else [outcome for sentence in batch for outcome in _translate([sentence])]
