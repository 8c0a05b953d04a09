"""The shipped configs: they load, are listed, give reasons, and have the parts that their names promise."""

from pathlib import Path

import pytest

from seq2seq_cli.config.catalog import GROUPS, list_configs, shipped_folder
from seq2seq_cli.config.keys import find_differences
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config

PATHS = sorted(shipped_folder().rglob("*.yaml"))
MODELS = [entry.name for entry in list_configs() if entry.group in GROUPS[1:5]]
TUTORIALS = sorted(path.stem for path in PATHS if path.stem.startswith("tutorial"))


each_config = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@each_config
def test_it_loads_and_is_listed_with_a_description(path: Path) -> None:
    name = path.relative_to(shipped_folder()).with_suffix("").as_posix()
    [entry] = [entry for entry in list_configs() if entry.name == name]
    assert load_config(name) == load_config(str(path))
    assert entry.description
    assert f"\n# Group: {entry.group}\n" in path.read_text(encoding="utf-8")


@each_config
def test_each_value_has_its_reason_beside_it(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    values = [line for line in lines if line.strip() and not line.startswith("#") and not line.endswith(":")]

    assert values
    assert [line for line in values if " # " not in line] == []


@pytest.mark.parametrize("name", MODELS)
def test_a_model_takes_data_and_text_of_the_prepared_folder(name: str) -> None:
    assert load_config(name).model_fields_set.isdisjoint({"data", "text"})


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("tutorial", ("luong", "concat", "concat")),
        ("tutorial_bahdanau", ("bahdanau", "additive", "state")),
        ("tutorial_dot", ("luong", "dot", "concat")),
        ("tutorial_exact", ("luong", "concat", "concat")),
        ("tutorial_general", ("luong", "general", "concat")),
        ("tutorial_location", ("bahdanau", "location_word", "state")),
        ("tutorial_no_attention", ("luong", "none", "state")),
    ],
)
def test_a_model_has_the_parts_and_values_of_the_tutorial(name: str, parts: tuple[str, ...]) -> None:
    config = load_config(name)
    encoder, decoder, training = config.model.encoder, config.model.decoder, config.training

    assert (decoder.kind, config.model.attention.score, decoder.readout) == parts
    assert encoder.hidden_size == decoder.hidden_size == encoder.embedding_size == decoder.embedding_size == 256
    assert (encoder.layers, encoder.dropout, decoder.dropout) == (1, 0.0, 0.1)
    # The tutorial takes one sentence a step; in batches of 192, the steps are longer.
    steps = (1e-3, 1) if name == "tutorial_exact" else (5e-3, 192)
    assert (training.lr, training.batch_size, training.batch_unit) == (*steps, "sentence")
    assert training.teacher_forcing == 0.5


# No gradient goes through the weights of hard attention, there are none without attention, and where they are the same
# at every word, the penalty would ask for equal ones.
PENALTY = ["training.doubly_stochastic"]
BASES = {
    "luong_general": {
        "luong_dot": ["model.attention.score"],
        "luong_concat": ["model.attention.score"],
        "luong_concat_paper": ["model.attention.score"],
        "luong_location": ["model.attention.score"],
        "luong_feed": ["model.decoder.input_feeding"],
        "luong_local_m": ["model.attention.scope"],
        "luong_local_p": ["model.attention.scope"],
        "hard": ["model.attention.scope", *PENALTY],
        # Without a context, the output layer reads the state alone.
        "no_attention": ["model.attention.score", "model.decoder.readout", *PENALTY],
    },
    "rnnsearch": {
        "bahdanau": ["model.decoder.readout"],
        "state_free": ["model.attention.score", *PENALTY],
        "no_attention_cho": ["model.attention.score", *PENALTY],
    },
}


@pytest.mark.parametrize(("base", "name"), [(base, name) for base, names in BASES.items() for name in names])
def test_a_model_differs_from_its_base_in_exactly_what_its_name_says(base: str, name: str) -> None:
    differences = find_differences(load_config(base), load_config(name), sections=["data", "text", "model", "training"])

    assert [difference.key for difference in differences] == BASES[base][name]


def test_every_model_but_one_of_a_tutorial_has_a_base() -> None:
    assert set(MODELS) == {*BASES, *(name for names in BASES.values() for name in names), "bilstm_linear"}


def test_the_exact_tutorial_sums_the_loss_of_a_sentence_and_does_not_clip() -> None:
    training = load_config("tutorial_exact").training

    assert (training.batch_size, training.loss_unit, training.clip_norm) == (1, "sentence", None)
    assert (training.optimiser, training.schedule) == ("adam", "constant")


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_tutorials_train_ten_epochs_on_its_first_ten_thousand_pairs(name: str) -> None:
    config = load_config(name)

    assert (config.data.limit, config.data.valid_sources, config.data.test_sources) == (10_000, 0, 0)
    for side in (config.text.src, config.text.tgt):
        assert (side.lowercase, side.spacing, side.min_count, side.max_size) == (True, False, 1, None)
    assert config.data.max_tokens == Config().data.max_tokens
    # The other models have ten or a hundred times the pairs, and so fewer epochs.
    assert config.training.epochs == 10
