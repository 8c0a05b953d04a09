from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.similar.features import MOST_KEPT
from seq2seq_cli.training import speed
from seq2seq_cli.training.dial import Budget
from seq2seq_cli.training.plan import Options
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.speed import measure_budget
from tests.tiny import planned

DEU = 162_268
budgets = st.builds(
    lambda tokens_per_pair, **values: Budget(tokens_per_epoch=tokens_per_pair * values["pairs"], **values),
    st.integers(5, 100),
    pairs=st.integers(1, 1_000_000),
    minutes=st.floats(0.01, 6000),
    tokens_per_second=st.floats(1, 1e6),
)


def budget(**changes: Any) -> Budget:
    """Six minutes with all of deu.txt on two cores."""
    values = {"pairs": DEU, "tokens_per_epoch": 1_500_000, "minutes": 6.0, "tokens_per_second": 22_000.0}
    return Budget(**(values | changes))


@pytest.mark.parametrize(
    ("recipe", "changes"),
    [
        ("quick", {}),
        ("few", {"pairs": 3_000, "tokens_per_epoch": 35_000}),
        ("fast", {"minutes": 10.0}),
        ("best", {"minutes": 120.0, "stated_members": 1}),
    ],
)
def test_the_recipes_are_points_of_the_dial_which_has_similar_pairs_for_all_but_few(
    recipe: str, changes: dict[str, Any]
) -> None:
    pairs = [] if recipe == "few" else ["decoding.similar_pairs=32"]
    assert load_config("quick", budget(**changes).overrides) == load_config(recipe, pairs)


def test_pairs_whose_features_are_too_many_to_be_kept_are_not_consulted() -> None:
    most, more = (
        load_config("quick", budget(tokens_per_epoch=count).overrides) for count in (MOST_KEPT, MOST_KEPT + 1)
    )
    assert (most.decoding.similar_pairs, more.decoding.similar_pairs) == (32, 0)


def test_few_tokens_that_are_read_often_get_a_small_model_and_much_noise() -> None:
    multi30k = {"pairs": 29_000, "tokens_per_epoch": 460_000, "minutes": 60.0}
    often, once = (load_config("quick", budget(**(multi30k | change)).overrides) for change in ({}, {"minutes": 0.5}))
    assert often.model.decoder.hidden_size == once.model.decoder.hidden_size == 256
    assert often.model.decoder.embedding_size == 256 > once.model.decoder.embedding_size
    assert (often.model.encoder.dropout, often.model.encoder.word_dropout) == (0.3, 0.1)
    assert once.model == load_config("quick").model


@pytest.mark.parametrize("own_share", [0.5, 1.0])
def test_word_vectors_are_shorter_than_states_up_to_eight_epochs_of_long_ones(own_share: float) -> None:
    epochs = {"tokens_per_epoch": 1_000_000, "minutes": 1 / 60, "own_share": own_share}
    little, much = (budget(**epochs, tokens_per_second=e * 1e6 / 0.82, pairs=30_000) for e in (7.99, 8.01))
    assert (little.words, much.words) == (192, 256)
    assert little.possible_epochs > much.possible_epochs == pytest.approx(8.01 * own_share)


def test_what_helps_counts_as_read_too() -> None:
    helped, alone = (budget(pairs=29_000, tokens_per_epoch=460_000, own_share=share) for share in (0.25, 1.0))
    assert helped.possible_epochs < 8 < alone.possible_epochs
    assert load_config("quick", helped.overrides).model == load_config("quick", alone.overrides).model


def test_few_pairs_that_are_read_often_get_more_dropout_and_are_changed_by_bpe_dropout_alone() -> None:
    few = {"pairs": 3_000, "tokens_per_epoch": 35_000}
    often, once = (load_config("quick", budget(**(few | change)).overrides) for change in ({}, {"minutes": 0.2}))
    assert often.model.decoder.embedding_size == once.model.decoder.embedding_size == 256
    assert (often.model.decoder.dropout, often.model.decoder.word_dropout) == (0.3, 0.0)
    assert once.model.decoder.dropout == load_config("quick").model.decoder.dropout
    assert often.training.bpe_dropout == once.training.bpe_dropout > 0


def test_with_help_pairs_are_read_less_often() -> None:
    alone, helped = budget(), budget(own_share=0.5)
    assert helped.possible_epochs == alone.possible_epochs / 2
    assert helped.size == alone.size


@given(budgets)
def test_it_chooses_values_that_a_config_can_have(budget: Budget) -> None:
    config = load_config("quick", budget.overrides)
    size = budget.of_member.size
    assert config.model.decoder.hidden_size == size
    words = config.model.decoder.embedding_size
    assert words == config.model.encoder.embedding_size == budget.of_member.words <= size
    assert budget.in_words(size, words).startswith(f"{budget.pairs:,} pair")
    assert "BLEU" not in budget.in_words(size + 1, words) + budget.in_words(size, words + 1)


@given(budgets, st.floats(1, 100))
def test_more_time_brings_no_smaller_model_and_no_lower_bleu(less: Budget, factor: float) -> None:
    more = Budget(**(vars(less) | {"minutes": factor * less.minutes}))
    assert more.size >= less.size
    assert more.bleu >= less.bleu - 1e-9  # a rounding error
    assert less.bleu >= 0


def test_the_epochs_that_time_allows() -> None:
    assert budget().possible_epochs == pytest.approx(22_000 * 360 / 1_500_000)
    larger = 1.5**2 / 0.82  # 384 = 1.5 * 256, with whole words
    assert budget(minutes=10.0).possible_epochs == pytest.approx(22_000 * 600 / larger / 1_500_000)


def test_time_after_which_a_model_learns_little_is_for_more_models() -> None:
    one, three = budget(minutes=30.0), budget(minutes=120.0)
    assert (one.members, three.members) == (1, 3)
    assert load_config("quick", three.overrides) == load_config(
        "quick", [*three.of_member.overrides, "training.members=3"]
    )
    assert (three.of_member.minutes, three.of_member.tokens_per_second) == (120.0, 22_000 / 3)
    assert "members" not in " ".join(one.overrides)
    two = budget(stated_members=2, side_by_side=1.3)  # which fill two cores better than one does
    assert two.of_member.tokens_per_second == pytest.approx(0.65 * 22_000)
    assert " 6 minutes at 28,600 tokens/s: 2 models " in two.in_words(two.of_member.size, two.of_member.words)
    assert two.bleu > budget(stated_members=2).bleu


def test_few_pairs_have_fewer_epochs_in_the_same_tokens() -> None:
    few, many = (budget(pairs=pairs, tokens_per_epoch=100_000) for pairs in (10_000, 10_001))
    assert few.possible_epochs == pytest.approx(0.6 * many.possible_epochs)
    assert few.tokens == many.tokens


def test_time_that_is_not_used_brings_nothing() -> None:
    hours = budget(minutes=240.0)
    assert f"3 models that translate together, each with {hours.size} numbers, {hours.most_epochs}.0 epochs" in (
        hours.in_words(hours.size, hours.words)
    )
    assert "+0.0 in twice the time" in hours.in_words(hours.size, hours.words)
    assert ", 1 minute at " in budget(minutes=1.0).in_words(256, 192)


def test_the_speed_is_measured_on_the_pairs(corpus: PreparedCorpus) -> None:
    measured = measure_budget(resolve_config(load_config("quick"), corpus), corpus, 6.0)
    train = corpus.split("train")
    assert measured.pairs == len(train)
    assert measured.tokens_per_epoch == sum(len(train.tgt.row(number)) + 1 for number in range(len(train)))
    assert measured.tokens_per_second > 0 < measured.side_by_side
    assert measured.own_share == 1


def test_the_speed_of_two_models_side_by_side_is_measured_where_there_may_be_two(
    corpus: PreparedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, threads = resolve_config(load_config("quick"), corpus), torch.get_num_threads()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    assert measure_budget(config, corpus, 6.0).side_by_side == 1
    assert measure_budget(config, corpus, 6.0, members=2).side_by_side not in (0, 1)
    monkeypatch.setattr(speed, "FEW_PAIRS", 0)
    assert measure_budget(config, corpus, 6.0).side_by_side not in (0, 1)
    assert measure_budget(config, corpus, 6.0, members=1).side_by_side == 1
    monkeypatch.undo()
    torch.set_num_threads(threads)


def test_noise_that_a_stated_score_cannot_have_is_left_out(corpus: PreparedCorpus, tmp_path: Path) -> None:
    stated = ["model.attention.score=location_word"]  # not with BPE-dropout, which few pairs have
    plan, _ = planned(Options(minutes=1, data=corpus.path, out=tmp_path / "run", overrides=stated))
    assert plan.config.model.attention.score == "location_word"


def test_a_stated_state_has_the_word_vectors_of_the_recipe(corpus: PreparedCorpus, tmp_path: Path) -> None:
    stated = ["model.decoder.hidden_size=320"]
    plan, _ = planned(Options(minutes=1, data=corpus.path, out=tmp_path / "run", overrides=stated))
    assert plan.config.model.decoder.embedding_size == load_config("quick").model.decoder.embedding_size
