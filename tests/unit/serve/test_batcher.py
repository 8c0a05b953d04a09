import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from seq2seq_cli.decoding.demands import Demands
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.serve.batcher import Batcher
from tests.untrained import make_run

TEXTS = [f"she kissed him {'again ' * number}." for number in range(10)]


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    return load(make_run(tmp_path_factory.mktemp("batcher") / "run").path).translator


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches that were begun."""
    found: list[int] = []
    take = Batcher._take

    def watched(self: Batcher, most: int) -> Any:
        found.append(len(batch := take(self, most)))
        return batch

    monkeypatch.setattr(Batcher, "_take", watched)
    return found


def test_texts_that_wait_are_translated_together_as_if_each_were_alone(
    translator: Translator, sizes: list[int]
) -> None:
    batcher = Batcher(1, max_waiting=10**6)

    async def ask() -> list[str]:
        found = await asyncio.gather(*(batcher.translate(translator, [text]) for text in TEXTS))
        return [translation.text for [translation] in found]

    assert asyncio.run(ask()) == [translator.translate([text])[0].text for text in TEXTS]
    assert sizes == [1, len(TEXTS) - 1]
    assert batcher.waiting == 0


def test_no_text_is_lost_or_exchanged_when_several_threads_translate_lists(translator: Translator) -> None:
    async def ask() -> list[list[str]]:
        batcher = Batcher(3, max_waiting=10**6)
        parts = [TEXTS[start:] * 2 for start in range(0, len(TEXTS), 3)]
        found = await asyncio.gather(*(batcher.translate(translator, part) for part in parts))
        assert [[each.source for each in of_part] for of_part in found] == parts
        return [[each.text for each in of_part] for of_part in found]

    expected = {text: translator.translate([text])[0].text for text in TEXTS}
    assert asyncio.run(ask()) == [[expected[text] for text in TEXTS[start:] * 2] for start in range(0, len(TEXTS), 3)]


def test_a_wait_ends_by_a_clock_that_is_early(translator: Translator) -> None:
    batcher = Batcher(1, max_waiting=10_000)

    async def ask() -> None:
        loop: Any = asyncio.get_running_loop()
        loop._clock_resolution = 10.0  # timers come so many seconds before their time
        await batcher.translate(translator, TEXTS)
        await asyncio.wait_for(asyncio.shield(batcher.translate(translator, TEXTS[:1])), timeout=60)

    asyncio.run(ask())


def test_callers_that_go_on_come_to_one_batch_again(translator: Translator, sizes: list[int]) -> None:
    batcher = Batcher(1, max_waiting=10**6)

    async def call(text: str) -> None:
        for _ in range(3):
            await batcher.translate(translator, [text])

    async def ask() -> None:
        await asyncio.gather(*map(call, TEXTS))

    asyncio.run(ask())
    assert sum(sizes) == 3 * len(TEXTS)
    # Without a wait, the first to come is alone each time.
    assert 1 not in sizes[1:-1]


class Hooked:
    """An engine that does something before it starts."""

    def __init__(self, engine: Engine[Any], before: Callable[[Sequence[Sequence[int]]], object]) -> None:
        self._engine = engine
        self._before = before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def start(self, sources: Sequence[Sequence[int]]) -> Any:
        self._before(sources)
        return self._engine.start(sources)


def test_threads_share_the_callers(translator: Translator, sizes: list[int]) -> None:
    slow_engine: Any = Hooked(translator.engine, lambda _: time.sleep(0.05))
    slow = replace(translator, engine=slow_engine)

    async def ask() -> None:
        batcher = Batcher(2, max_waiting=10**6)

        async def call(text: str) -> None:
            for _ in range(4):
                await batcher.translate(slow, [text])

        await asyncio.gather(*map(call, 2 * TEXTS))

    asyncio.run(ask())
    # The first to come begin alone; then each thread has about half of the callers.
    assert sizes[:2] == [1, 1]
    assert all(5 <= size <= 15 for size in sizes[2:6])


def test_a_short_text_does_not_wait_for_the_end_of_long_ones(translator: Translator, sizes: list[int]) -> None:
    long, batcher = "She kissed him again. " * 200, Batcher(1, max_waiting=10**6)

    async def ask_late() -> tuple[str, int]:
        while len(sizes) < 3:
            await asyncio.sleep(0.001)
        before = len(sizes)
        [translation] = await batcher.translate(translator, TEXTS[:1])
        return translation.text, len(sizes) - before

    async def ask() -> tuple[list[Translation], list[Translation], tuple[str, int]]:
        long_ones = [batcher.translate(translator, [long]) for _ in "12"]
        return await asyncio.gather(long_ones[0], long_ones[1], ask_late())

    [first], [second], (short, batches) = asyncio.run(ask())
    expected = [translator.translate([text])[0].text for text in (long, TEXTS[0])]
    assert [first.text, second.text, short] == [expected[0], *expected]
    # One turn of both, then it; and the next batch may have begun before the answer is seen.
    assert batches <= 3 < len(sizes) - 6


def test_a_long_text_ends_however_many_short_ones_come(translator: Translator) -> None:
    batcher = Batcher(1, max_waiting=10**6)

    async def ask() -> str:
        long = asyncio.ensure_future(batcher.translate(translator, ["She kissed him again. " * 40]))

        async def call(text: str, each: Translator) -> None:
            while not long.done():
                await batcher.translate(each, [text])

        # More than fit into a batch, with two translators.
        others = (translator, translator.with_n_best(2))
        await asyncio.wait_for(asyncio.gather(*(call(text, each) for each in others for text in 3 * TEXTS)), 60)
        return long.result()[0].text

    assert asyncio.run(ask()) == translator.translate(["She kissed him again. " * 40])[0].text


def test_a_batch_has_a_sentence_of_each_request_up_to_a_bound(translator: Translator, sizes: list[int]) -> None:
    batcher = Batcher(1, max_waiting=10**6)

    async def ask() -> None:
        await asyncio.gather(*(batcher.translate(translator, [f"she saw him {i} times"]) for i in range(201)))

    asyncio.run(ask())
    assert sizes == [1, 128, 72]


def test_a_text_without_a_sentence_comes_back_at_once(translator: Translator, sizes: list[int]) -> None:
    batcher = Batcher(1, max_waiting=10**6)
    [number, blank] = asyncio.run(batcher.translate(translator, ["42", " "]))
    assert (number.text, blank.text) == ("42", " ")
    assert sizes == []


def test_translators_take_turns(translator: Translator, sizes: list[int]) -> None:
    batcher, other = Batcher(1, max_waiting=10**6), translator.with_n_best(2)

    async def ask() -> None:
        asked = [(translator, TEXTS[0]), *((each, text) for each in (translator, other) for text in TEXTS)]
        found = await asyncio.gather(*(batcher.translate(each, [text]) for each, text in asked))
        assert [len(translation.alternatives) > 0 for [translation] in found] == [False] * 11 + [True] * 10

    asyncio.run(ask())
    assert sizes == [1, 10, 10]


@pytest.mark.parametrize(("prefix", "taken"), [((), 3), ((4, 5, 6), 2)])
def test_more_than_may_wait_is_refused_and_what_waits_is_translated(
    translator: Translator, prefix: tuple[int, ...], taken: int
) -> None:
    batcher = Batcher(1, max_waiting=3 * (len(TEXTS[0]) + 1))
    translator = translator.with_demands(Demands(prefix=prefix))

    async def ask() -> list[Any]:
        asked = (batcher.translate(translator, TEXTS[:1]) for _ in range(4))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    found = asyncio.run(ask())
    assert [isinstance(each, asyncio.QueueFull) for each in found] == [False] * taken + [True] * (4 - taken)
    texts = [each[0].text for each in found[:taken]]
    assert texts == [translator.translate(TEXTS[:1])[0].text] * taken
    assert batcher.waiting == 0


def test_a_text_that_nobody_waits_for_any_more_is_not_translated(translator: Translator, sizes: list[int]) -> None:
    batcher, is_cancelled = Batcher(1, max_waiting=10**6), threading.Event()
    held: Any = Hooked(translator.engine, lambda _: is_cancelled.wait())
    slow = replace(translator, engine=held)

    async def ask() -> None:
        first, second, third = (asyncio.ensure_future(batcher.translate(slow, TEXTS[:2])) for _ in "123")
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        is_cancelled.set()
        await asyncio.gather(first, third)

    asyncio.run(ask())
    assert sum(sizes) == 4
    assert batcher.waiting == 0


def refuse_long(sources: Sequence[Sequence[int]]) -> None:
    if max(map(len, sources)) > 10:
        raise MemoryError


def test_an_error_with_a_text_does_not_fail_those_beside_it(translator: Translator) -> None:
    batcher = Batcher(1, max_waiting=10**6)
    small: Any = Hooked(translator.engine, refuse_long)
    failing = replace(translator, engine=small)

    async def ask() -> list[Any]:
        asked = (batcher.translate(failing, [text]) for text in (*TEXTS[:3], TEXTS[-1], TEXTS[3]))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    *before, failed, after = asyncio.run(ask())
    assert [found[0].text for found in (*before, after)] == [each.text for each in translator.translate(TEXTS[:4])]
    assert isinstance(failed, MemoryError)


def test_after_an_error_the_rest_of_a_text_is_not_translated(translator: Translator, sizes: list[int]) -> None:
    batcher = Batcher(1, max_waiting=10**6)
    small: Any = Hooked(translator.engine, refuse_long)
    failing = replace(translator, engine=small)
    text = f"{'again ' * 20}. {'She kissed him. ' * 100}"

    async def ask() -> None:
        with pytest.raises(MemoryError):
            await batcher.translate(failing, [text])

    asyncio.run(ask())
    assert sum(sizes) <= 32
    assert batcher.waiting == 0
