"""Loading: every kind of mistake has its line, and all of a file's mistakes come together."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.config.loader import dump_config, load_config, load_saved_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.errors import ConfigError
from tests.unit.config.test_catalog import write

MUST_BE_EQUAL = (
    "must be equal: the encoder's last state is the decoder's first; or choose another model.bridge than copy"
)
USED_NOWHERE = "do not go together: the context is read nowhere; choose concat, attentional or maxout"

END = "'<stream end>'; check each ':' and the indentation"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(text: str, *overrides: str) -> Config:
    return load_config(str(write("my.yaml", text)), overrides)


def problems(text: str, *overrides: str) -> Sequence[str]:
    with pytest.raises(ConfigError) as caught:
        load(text, *overrides)
    return list(caught.value.args)


@pytest.mark.parametrize("text", ["# only a comment\n", "training:\n", "data:\ntext:\n  src:\n", "{}", "\ufeff"])
def test_a_file_that_states_nothing_and_no_name_give_the_defaults(text: str) -> None:
    assert load(text) == load_config(None) == Config()


def test_values_are_read_and_the_rest_is_default() -> None:
    config = load("training: {lr: 3e-4, epochs: 15}\ntext:\n  src: {language: no, max_size: ~}\n")

    assert (config.training.lr, config.training.epochs) == (3e-4, 15)
    assert (config.text.src.language, config.text.src.max_size) == ("no", None)
    assert config.model == Config().model


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("training:\n  epohcs: 3", "my.yaml:2:3: training.epohcs: unknown key, did you mean 'training.epochs'?"),
        ("training: {Epochs: 3}", "my.yaml:1:12: training.Epochs: unknown key, did you mean 'training.epochs'?"),
        ("trian: {epochs: 3}", "my.yaml:1:1: trian: unknown key, did you mean 'training'?"),
        ("epochs: 3", "my.yaml:1:1: epochs: unknown key, did you mean 'training.epochs'?"),
        (
            "model: {layers: 2}",
            "my.yaml:1:9: model.layers: unknown key, did you mean 'model.encoder.layers' or 'model.decoder.layers'?",
        ),
        (
            "text: {qwerty: 1}",
            f"my.yaml:1:8: text.qwerty: unknown key; the keys of 'text' are {', '.join(TextConfig.model_fields)}",
        ),
        ("1: 2", "my.yaml:1:1: 1: unknown key; the keys of a config are data, text, model, training, decoding"),
        ("training:\n  epochs: ten", "my.yaml:2:11: training.epochs: must be an integer, 1 or more, not 'ten'"),
        ("training: {epochs: true}", "my.yaml:1:20: training.epochs: must be an integer, 1 or more, not true"),
        ("training: {epochs: }", "my.yaml:1:19: training.epochs: must be an integer, 1 or more, not null"),
        ("training: {epochs: {a: 1}}", "my.yaml:1:20: training.epochs: must be an integer, 1 or more, not a section"),
        ("training: {lr: fast}", "my.yaml:1:16: training.lr: must be a number, above 0, not 'fast'"),
        ("data: {limit: all}", "my.yaml:1:15: data.limit: must be an integer, 1 or more, or null, not 'all'"),
        ("text: {src: {lowercase: yes}}", "my.yaml:1:25: text.src.lowercase: must be true or false, not 'yes'"),
        (
            "text: {src: {max_size: 0}}",
            "my.yaml:1:24: text.src.max_size: must be an integer, 1 or more, or auto, or null, not 0",
        ),
        (
            "text: {shared_vocabulary: auot}",
            "my.yaml:1:27: text.shared_vocabulary: must be true or false, or auto, not 'auot'",
        ),
        ("text: {src: {language: 5}}", "my.yaml:1:24: text.src.language: must be something like en or de, not 5"),
        ("text: {src: {language: EN}}", "my.yaml:1:24: text.src.language: must be something like en or de, not 'EN'"),
        (
            "training: {patience: 1%s}" % ("0" * 400),
            (
                "my.yaml:1:22: training.patience: must be an integer, 1 or more, or null, at most 2147483647,"
                f" not 1{39 * '0'}..."
            ),
        ),
        ("training: {lr: 0}", "my.yaml:1:16: training.lr: must be above 0, not 0"),
        ("training: {teacher_forcing: 1.5}", "my.yaml:1:29: training.teacher_forcing: must be 0 to 1, not 1.5"),
        (
            "decoding: {coverage_penalty: 3e9}",
            "my.yaml:1:30: decoding.coverage_penalty: must be 0 or more, at most 2147483647, not 3000000000.0",
        ),
        (
            "training: {seed: 4294967296}",
            "my.yaml:1:18: training.seed: must be an integer, 0 to 4294967295, not 4294967296",
        ),
        ("training: {lr: .inf}", "my.yaml:1:16: training.lr: must be a number, above 0, not '.inf'"),
        ("training: {device: cudda}", "my.yaml:1:20: training.device: must be auto, cpu, cuda or mps, not 'cudda'"),
        ("training: 5", "my.yaml:1:11: training: must be a section of 'key: value' lines, not 5"),
        ("- training", "my.yaml:1:1: must hold sections such as 'training:', with indented 'key: value' lines below"),
        ("training: {lr: 1, lr: 2}", "my.yaml:1:19: training.lr: duplicate key, first on line 1"),
        (
            "training: {lr: 1",
            f"my.yaml:1:17: not YAML: while parsing a flow mapping, expected ',' or '}}', but got {END}",
        ),
        (
            '"a\\nb": 1',
            "my.yaml:1:1: a\\nb: unknown key; the keys of a config are data, text, model, training, decoding",
        ),
        (
            "model:\n  decoder: {layers: 2}",
            f"my.yaml:2:13: model.encoder.layers (1) and model.decoder.layers (2) {MUST_BE_EQUAL}",
        ),
        (
            "model:\n  decoder:\n    readout: state",
            f"my.yaml:3:5: model.decoder.kind (luong) and model.decoder.readout (state) {USED_NOWHERE}",
        ),
    ],
)
def test_each_mistake_has_its_line(text: str, line: str) -> None:
    assert problems(text) == [line]


def test_all_mistakes_of_a_file_come_at_once_in_its_order() -> None:
    text = """\
training:
  epohcs: 3
  batch_size: many
  lr: 1e-3
  lr: 1e-4
decoding: fast
data:
  limit: 0
model:
  encoder: {hidden_size: 128, layers: 2}
"""

    assert [line.split(": ")[:2] for line in problems(text)] == [
        ["my.yaml:2:3", "training.epohcs"],
        ["my.yaml:3:15", "training.batch_size"],
        ["my.yaml:5:3", "training.lr"],
        ["my.yaml:6:11", "decoding"],
        ["my.yaml:8:10", "data.limit"],
        ["my.yaml:10:13", "model.encoder.hidden_size (128) and model.decoder.hidden_size (256) must be equal"],
        ["my.yaml:10:31", "model.encoder.layers (2) and model.decoder.layers (1) must be equal"],
    ]


def test_bytes_that_are_not_utf8_are_named() -> None:
    Path("my.yaml").write_bytes("# gut\n# größe".encode("latin-1"))

    with pytest.raises(ConfigError) as caught:
        load_config("my.yaml")

    assert caught.value.args == ("my.yaml:2:5: byte 0xf6 is not UTF-8; save the file as UTF-8",)


def test_a_message_names_the_file_as_the_user_did() -> None:
    path = write("configs/mine.yaml", "a: 1")

    for name in ("mine", "configs/mine.yaml"):
        with pytest.raises(ConfigError, match=rf"^{re.escape(str(path))}:1:1: a: "):
            load_config(name)


def test_an_override_is_typed_and_stronger_than_the_file() -> None:
    config = load("training: {lr: 1, epochs: 2}", "training.lr=3e-4", "data.limit=null", "text.src.language=no")

    assert (config.training.lr, config.training.epochs) == (3e-4, 2)
    assert config.text.src.language == "no"
    assert config.data.model_fields_set == {"limit"}


def test_an_override_may_correct_the_file() -> None:
    assert load("training: {epochs: ten}", "training.epochs=10").training.epochs == 10


def test_an_override_below_another_is_not_lost() -> None:
    assert problems("{}", "training.lr=1", "training.lr.x=2") == [
        "--set training.lr.x=2: 'training.lr' is a value and has no keys"
    ]


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("training.lr=abc", "--set training.lr=abc: must be a number, above 0, not 'abc'"),
        ("training.lr=", "--set training.lr=: must be a number, above 0, not null"),
        ("training.epohcs=3", "--set training.epohcs=3: unknown key, did you mean 'training.epochs'?"),
        ("epochs=3", "--set epochs=3: unknown key, did you mean 'training.epochs'?"),
        ("LR=1", "--set LR=1: unknown key, did you mean 'training.lr'?"),
        ("TRAINING.LR=1", "--set TRAINING.LR=1: unknown key, did you mean 'training.lr'?"),
        ("trian.epochs=3", "--set trian.epochs=3: unknown key, did you mean 'training.epochs'?"),
        ("trian.epohcs=3", "--set trian.epohcs=3: unknown key, did you mean 'training'?"),
        ("training.lr", "--set training.lr: must be KEY=VALUE, such as training.lr=3e-4"),
        ("=3", "--set =3: must be KEY=VALUE, such as training.lr=3e-4"),
        ("training..lr=3", "--set training..lr=3: must be KEY=VALUE, such as training.lr=3e-4"),
        ("training={lr: 1}", "--set training={lr: 1}: a section; set one of its keys, such as training.epochs"),
        (
            "training.lr=[1",
            f"--set training.lr=[1: not YAML: while parsing a flow sequence, expected ',' or ']', but got {END}",
        ),
        ("training.lr.x=1", "--set training.lr.x=1: 'training.lr' is a value and has no keys"),
        (
            "model.encoder.layers=2",
            f"--set model.encoder.layers=2: model.encoder.layers (2) and model.decoder.layers (1) {MUST_BE_EQUAL}",
        ),
    ],
)
def test_a_wrong_override_has_its_line(override: str, line: str) -> None:
    assert problems("{}", override) == [line]


def test_mistakes_of_file_and_overrides_come_together() -> None:
    lines = problems("training: 5\ndata: {limit: x}", "training.lr=1", "decoding.batch_size=0", "a=1")

    assert [line.split(": ")[0] for line in lines] == [
        "my.yaml:1:11",
        "my.yaml:2:15",
        "--set decoding.batch_size=0",
        "--set a=1",
    ]


def test_a_saved_config_may_hold_keys_of_another_version(caplog: pytest.LogCaptureFixture) -> None:
    path = write("config.yaml", "training: {epochs: 3, fancy: 1}\nmodel: {encoder: {bidi: true}}\nnew: {a: 1}\n")

    with caplog.at_level(logging.WARNING):
        config = load_saved_config(path)

    assert config.training.epochs == 3
    assert config.training.batch_size == Config().training.batch_size
    assert [record.getMessage().split("'")[1] for record in caplog.records] == [
        "training.fancy",
        "model.encoder.bidi",
        "new",
    ]


def test_an_override_of_a_saved_config_is_read_strictly() -> None:
    path = write("config.yaml", dump_config(Config()))

    assert load_saved_config(path, ["training.epochs=20"]).training.epochs == 20
    with pytest.raises(ConfigError, match=r"^--set training\.epohcs=20: unknown key"):
        load_saved_config(path, ["training.epohcs=20"])


def test_sections_of_a_saved_config_can_be_left_to_the_overrides() -> None:
    path = write("config.yaml", "data: {limit: 5}\ntext: {unit: bpe}\ntraining: {epochs: 3}\n")

    config = load_saved_config(path, ["text.unit=character"], without=("data", "text"))

    assert config.model_fields_set == {"text", "training"}
    assert (config.training.epochs, config.text.unit) == (3, "character")


@pytest.mark.parametrize("text", ["training: [", "training: {epochs: x}", "just words"])
def test_a_damaged_or_missing_saved_config_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^config\.yaml: "):
        load_saved_config(Path("config.yaml"))
    with pytest.raises(ConfigError, match=r"^config\.yaml:1:"):
        load_saved_config(write("config.yaml", text))


def test_a_dumped_config_states_every_key() -> None:
    config = load(dump_config(Config()))

    assert config == Config()
    assert config.text.tgt.model_fields_set == set(type(config.text.tgt).model_fields)
