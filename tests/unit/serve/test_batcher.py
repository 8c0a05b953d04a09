import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any

import pytest

from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.serve.batcher import Batcher, QueueFullError
from tests.untrained import make_run

TEXTS = [f"she kissed him {'again ' * number}." for number in range(10)]


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    return load(make_run(tmp_path_factory.mktemp("batcher") / "run").path).translator


class Watched:
    """A batcher with one thread, and the sizes of its batches."""

    def __init__(self, max_waiting: int = 10_000) -> None:
        self.sizes: list[int] = []
        self.batcher = Batcher(1, max_waiting=max_waiting, on_batch=self.sizes.append)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return asyncio.run(work)
        finally:
            self.batcher.close()


def test_texts_that_wait_are_translated_together_as_if_each_were_alone(translator: Translator) -> None:
    watched = Watched()

    async def ask() -> list[str]:
        found = await asyncio.gather(*(watched.batcher.translate(translator, [text]) for text in TEXTS))
        return [translation.text for [translation] in found]

    assert watched.run(ask()) == [translator.translate([text])[0].text for text in TEXTS]
    assert watched.sizes == [1, len(TEXTS) - 1]
    assert watched.batcher.waiting == 0


def test_no_text_is_lost_or_exchanged_when_several_threads_translate_lists(translator: Translator) -> None:
    async def ask() -> list[list[str]]:
        batcher = Batcher(3, max_waiting=10**6, on_batch=lambda _: None)
        parts = [TEXTS[start:] * 2 for start in range(0, len(TEXTS), 3)]
        found = await asyncio.gather(*(batcher.translate(translator, part) for part in parts))
        batcher.close()
        assert [[each.source for each in of_part] for of_part in found] == parts
        return [[each.text for each in of_part] for of_part in found]

    expected = {text: translator.translate([text])[0].text for text in TEXTS}
    assert asyncio.run(ask()) == [[expected[text] for text in TEXTS[start:] * 2] for start in range(0, len(TEXTS), 3)]


def test_a_text_that_nobody_joins_is_translated_after_a_large_batch_too(translator: Translator) -> None:
    watched = Watched()

    async def ask() -> None:
        await watched.batcher.translate(translator, TEXTS)
        await watched.batcher.translate(translator, TEXTS[:1])

    watched.run(ask())
    assert watched.sizes == [len(TEXTS), 1]


def test_a_wait_ends_by_a_clock_that_is_early(translator: Translator) -> None:
    batcher = Batcher(1, max_waiting=10_000, on_batch=lambda _: None)

    async def ask() -> None:
        loop: Any = asyncio.get_running_loop()
        loop._clock_resolution = 10.0  # timers come so many seconds before their time
        await batcher.translate(translator, TEXTS)
        await asyncio.wait_for(asyncio.shield(batcher.translate(translator, TEXTS[:1])), timeout=60)

    asyncio.run(ask())
    batcher.close()


def test_callers_that_go_on_come_to_one_batch_again(translator: Translator) -> None:
    watched = Watched()

    async def call(text: str) -> None:
        for _ in range(3):
            await watched.batcher.translate(translator, [text])

    async def ask() -> None:
        await asyncio.gather(*map(call, TEXTS))

    watched.run(ask())
    assert sum(watched.sizes) == 3 * len(TEXTS)
    # Without a wait, the first to come is alone each time.
    assert 1 not in watched.sizes[1:-1]


class Slow:
    """An engine that takes its time, without Python's lock."""

    def __init__(self, engine: Engine[Any]) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def start(self, sources: Sequence[Sequence[int]]) -> Any:
        time.sleep(0.05)
        return self._engine.start(sources)


def test_threads_share_the_callers(translator: Translator) -> None:
    sizes: list[int] = []
    slow_engine: Any = Slow(translator.engine)
    slow = replace(translator, engine=slow_engine)

    async def ask() -> None:
        batcher = Batcher(2, max_waiting=10**6, on_batch=sizes.append)

        async def call(text: str) -> None:
            for _ in range(4):
                await batcher.translate(slow, [text])

        await asyncio.gather(*map(call, 2 * TEXTS))
        batcher.close()

    asyncio.run(ask())
    # The first to come begin alone; then each thread has about half of the callers.
    assert sizes[:2] == [1, 1]
    assert all(5 <= size <= 15 for size in sizes[2:6])


def test_translators_take_turns(translator: Translator) -> None:
    watched, other = Watched(), translator.with_n_best(2)

    async def ask() -> None:
        asked = [(translator, TEXTS[0]), *((each, text) for each in (translator, other) for text in TEXTS)]
        found = await asyncio.gather(*(watched.batcher.translate(each, [text]) for each, text in asked))
        assert [len(translation.alternatives) > 0 for [translation] in found] == [False] * 11 + [True] * 10

    watched.run(ask())
    assert watched.sizes == [1, 10, 10]


def test_more_than_may_wait_is_refused_and_what_waits_is_translated(translator: Translator) -> None:
    watched = Watched(max_waiting=len(TEXTS[0]) + 1)

    async def ask() -> list[object]:
        asked = (watched.batcher.translate(translator, TEXTS[:1]) for _ in range(3))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    translating, waiting, refused = watched.run(ask())
    assert isinstance(refused, QueueFullError)
    assert [translating[0].text, waiting[0].text] == [translator.translate(TEXTS[:1])[0].text] * 2


def test_a_text_that_nobody_waits_for_any_more_is_not_translated(translator: Translator) -> None:
    watched = Watched()

    async def ask() -> None:
        first, second, third = (asyncio.ensure_future(watched.batcher.translate(translator, TEXTS[:2])) for _ in "123")
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(first, third)

    watched.run(ask())
    assert sum(watched.sizes) == 4
    assert watched.batcher.waiting == 0


def test_a_caller_who_leaves_does_not_cost_the_others_their_turn(translator: Translator) -> None:
    watched, second, third = Watched(), translator.with_n_best(2), translator.with_n_best(3)

    async def ask() -> None:
        asked = ((translator, 1), (second, 2), (second, 3), (third, 5))
        first, leaving, *staying = [
            asyncio.ensure_future(watched.batcher.translate(each, TEXTS[:count])) for each, count in asked
        ]
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(first, *staying)

    watched.run(ask())
    assert watched.sizes == [1, 3, 5]


class SmallMemory:
    """An engine that cannot compute long sources."""

    def __init__(self, engine: Engine[Any], most: int) -> None:
        self._engine = engine
        self._most = most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def start(self, sources: Sequence[Sequence[int]]) -> Any:
        if max(map(len, sources)) > self._most:
            raise MemoryError
        return self._engine.start(sources)


def test_an_error_with_a_text_does_not_fail_those_beside_it(translator: Translator) -> None:
    watched = Watched()
    small: Any = SmallMemory(translator.engine, most=10)
    failing = replace(translator, engine=small)

    async def ask() -> list[object]:
        asked = (watched.batcher.translate(failing, [text]) for text in (*TEXTS[:3], TEXTS[-1], TEXTS[3]))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    *before, failed, after = watched.run(ask())
    assert [found[0].text for found in (*before, after)] == [each.text for each in translator.translate(TEXTS[:4])]
    assert isinstance(failed, MemoryError)
