"""The run folder: all that a training leaves behind, and all that translation needs.

runs/latest                     the name of the newest run
runs/NAME/config.yaml           the config as resolved
         /codec/{src,tgt}.json  from text to ids and back
         /best/model.safetensors
         /last/training.pt      what `--resume` goes on from
         /metrics.jsonl         one JSON object a line
         /corpus.json           what it was trained on, and the run that its weights began with
         /README.md             the model card
"""

import contextlib
import io
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors

from seq2seq_cli.config.loader import dump_config, load_saved_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import SIDES, PreparedCorpus, SideName, codec_path
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ConfigError, ModelFileError, TrainingError, UsageError
from seq2seq_cli.files import read_json, write_whole
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.training.state import Streams, TrainingState
from seq2seq_cli.training.world import ALONE, World

FORMAT = 1
RUNS = Path("runs")
_OURS = ("config.yaml", "codec", "best", "last", "metrics.jsonl", "corpus.json", "README.md")


@dataclass(frozen=True)
class RunFolder:
    """One run, by its folder."""

    path: Path

    @classmethod
    def create(
        cls,
        path: Path,
        config: Config,
        corpus: PreparedCorpus,
        *,
        overwrite: bool = False,
        origin: "RunFolder | None" = None,
        launch: str | None = None,
    ) -> "RunFolder":
        """A new run in `path`, which says that its weights began as those of `origin`, and who began it: `launch`.

        Raises UsageError when `path` holds something already and `overwrite` does not allow to remove a run there, and
        for a name that is not UTF-8.
        """
        _check_name(path, "--out")
        _check_name(corpus.path, "--data")
        run = cls(path)
        try:
            if path.exists():
                _make_room(path, overwrite=overwrite)
            run.codec_path("src").parent.mkdir(parents=True, exist_ok=True)
            corpus.src_codec.save(run.codec_path("src"))
            corpus.tgt_codec.save(run.codec_path("tgt"))
        except OSError as error:
            raise UsageError(f"{path}: cannot be made: {error.strerror}; choose another folder with --out") from error
        record = {"format": FORMAT, "folder": str(corpus.path), "fingerprint": corpus.fingerprint}
        if origin:
            record["init_from"] = str(origin.path)
        if launch:
            record["launch"] = launch
        _write_text(run.path / "corpus.json", json.dumps(record, ensure_ascii=False, indent=1) + "\n")
        run.write_config(config)
        return run

    @classmethod
    def find(cls, path: Path | None) -> "RunFolder":
        """The run at `path`, or the newest one of `runs/` when it is None.

        Raises ModelFileError when there is none.
        """
        if path is None:
            latest = RUNS / "latest"
            if not latest.is_file():
                raise ModelFileError(
                    f"no run is in {RUNS}/ here: train one first (s2s train --config luong_concat.yaml),"
                    " or name a run folder with --model"
                )
            path = RUNS / latest.read_text(encoding="utf-8", errors="replace").strip()
            if not (path / "config.yaml").is_file():
                raise ModelFileError(f"{latest}: names {path}, where no run is: name a run folder with --model")
        if not path.exists():
            raise ModelFileError(f"{path}: no such run folder")
        if not (path / "config.yaml").is_file():
            raise ModelFileError(f"{path}: not a run folder: it has no config.yaml; s2s train makes one")
        return cls(path)

    @classmethod
    def find_saved_last(cls) -> "RunFolder":
        """The run of `runs/` with the newest checkpoint, be it too young to translate; ModelFileError without any."""
        saved = [run for path in RUNS.glob("*") if (run := cls(path)).last_path.is_file()]
        if not saved:
            raise ModelFileError(f"no run to resume is in {RUNS}/ here: name its folder with --out")
        return max(saved, key=lambda run: run.last_path.stat().st_mtime_ns)

    @property
    def best_path(self) -> Path:
        """The weights that translate."""
        return self.path / "best" / "model.safetensors"

    @property
    def last_path(self) -> Path:
        """The checkpoint to resume from."""
        return self.path / "last" / "training.pt"

    def codec_path(self, side: SideName) -> Path:
        """The codec of one side."""
        return codec_path(self.path, side)

    def config(self) -> Config:
        """The config that the run was trained with."""
        try:
            return load_saved_config(self.path / "config.yaml")
        except ConfigError as error:
            raise ModelFileError(f"{error}; the run folder is damaged") from error

    def write_config(self, config: Config) -> None:
        """Record the config as resolved."""
        _write_text(self.path / "config.yaml", dump_config(config))

    def corpus_folder(self) -> Path:
        """The prepared folder that the run was trained on."""
        return Path(self._corpus_record()["folder"])

    def origin(self) -> str | None:
        """The run whose weights this one began with; None when they were drawn."""
        origin = self._corpus_record().get("init_from")
        return origin if isinstance(origin, str) else None

    def was_begun_by(self, launch: str) -> bool:
        """Whether there is a run, with something to resume from, and it was created with this `launch`."""
        has_begun = self.last_path.is_file() and (self.path / "corpus.json").is_file()
        return has_begun and self._corpus_record().get("launch") == launch

    def check_corpus(self, corpus: PreparedCorpus) -> None:
        """Raise UsageError unless this is the corpus that the run was trained on."""
        if self._corpus_record()["fingerprint"] != corpus.fingerprint:
            raise UsageError(
                f"{corpus.path}: not the corpus that {self.path} was trained on, so it cannot be resumed with it;"
                f" prepare that one again, or train anew with --out"
            )

    def save_best(self, model: Seq2Seq) -> None:
        """Keep these weights as the ones that translate; `latest`, beside the run, names it from now on."""
        weights = {name: tensor.cpu().contiguous() for name, tensor in _own_weights(model).items()}
        _write(self.best_path, to_safetensors(weights, metadata={"s2s_format": str(FORMAT)}))
        _write_text(self.path.parent / "latest", self.path.name + "\n")

    def save_last(self, state: TrainingState, random: Sequence[Streams] | None = None) -> None:
        """Keep the state of training to go on from; `random` as in `TrainingState.capture`."""
        buffer = io.BytesIO()
        torch.save({"format": FORMAT, **state.capture(random)}, buffer)
        _write(self.last_path, buffer.getvalue())

    def load_last(self, state: TrainingState) -> None:
        """Put `state` where the run was saved last; ModelFileError when there is nothing that fits."""
        self.restore(state, self.read_last())

    def read_last(self) -> dict[str, Any]:
        """What was saved last; ModelFileError when there is nothing."""
        if not self.last_path.is_file():
            raise ModelFileError(f"{self.last_path}: nothing to resume from: no such file; train anew with --overwrite")
        captured: dict[str, Any] = torch.load(self.last_path, map_location="cpu", weights_only=True)
        _check_format(captured["format"], self.last_path)
        return captured

    def restore(self, state: TrainingState, captured: dict[str, Any], world: World = ALONE) -> None:
        """Put `state` where it was `captured`; ModelFileError when it does not fit."""
        device = next(state.model.parameters()).device
        try:
            state.restore(captured, world)
        except ModelFileError:
            raise
        # torch.load raises whatever the bytes lead it to.
        except Exception as error:
            raise ModelFileError(
                f"{self.last_path}: damaged, or not a checkpoint of this model on {device.type}"
                f" ({type(error).__name__}); train anew with --overwrite"
            ) from error

    def load_best(self, model: Seq2Seq) -> None:
        """Give `model` the weights that translate; ModelFileError when they are missing, damaged or do not fit."""
        # What is tied to another is not in the file, and comes with the other.
        model.load_state_dict(self._best_weights(model), strict=False)

    def load_translator(self, device: torch.device, config: Config | None = None) -> Translator:
        """The best model with its codecs; `config` is the run's own, perhaps with another way of searching.

        Raises ModelFileError when a file is missing, damaged, or does not fit the others.
        """
        config = config or self.config()
        src, tgt = (Codec.load(self.codec_path(side)) for side in SIDES)
        model = build_model(config.model, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
        self.load_best(model)
        return Translator(model.to(device).eval(), src, tgt, config.decoding, device)

    def append_metrics(self, record: Mapping[str, Any]) -> None:
        """Add a line to metrics.jsonl."""
        path = self.path / "metrics.jsonl"
        with _writing(path), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"format": FORMAT, **record}) + "\n")

    def cut_metrics(self, step: int) -> None:
        """Forget the lines that came after `step`: a resumed run writes them again."""
        path = self.path / "metrics.jsonl"
        if path.is_file():
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            _write_text(path, "".join(f"{line}\n" for line in lines if _step_of(line) <= step))

    def write_card(self, text: str) -> None:
        """Write the model card."""
        _write_text(self.path / "README.md", text)

    def _corpus_record(self) -> dict[str, Any]:
        path = self.path / "corpus.json"
        record = read_json(path, newest=FORMAT, error=ModelFileError)
        if not all(isinstance(record.get(key), str) for key in ("folder", "fingerprint")):
            raise ModelFileError(f"{path}: damaged: does not name the corpus: restore it, or train anew")
        return record

    def _best_weights(self, model: Seq2Seq) -> dict[str, torch.Tensor]:
        path = self.best_path
        if not path.is_file():
            raise ModelFileError(f"{path}: no such file: no epoch of this run is finished yet")
        try:
            with safe_open(path, framework="pt") as file:
                _check_format((file.metadata() or {}).get("s2s_format"), path)
                weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a dict
        except (SafetensorError, OSError) as error:
            raise ModelFileError(
                f"{path}: damaged, or not a safetensors file ({error}): restore it, or train anew"
            ) from error
        expected = {name: tensor.shape for name, tensor in _own_weights(model).items()}
        if {name: tensor.shape for name, tensor in weights.items()} != expected:
            raise ModelFileError(
                f"{path}: its weights are not those of the model that {self.path}/config.yaml describes"
            )
        return weights


def _own_weights(model: Seq2Seq) -> dict[str, torch.Tensor]:
    """The weights by name; a matrix that is tied to another is there once."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def _make_room(path: Path, *, overwrite: bool) -> None:
    if not path.is_dir():
        raise UsageError(f"{path}: a file is in the way; choose another folder with --out")
    if not any(path.iterdir()):
        return
    if not (path / "config.yaml").is_file():
        raise UsageError(f"{path}: the folder is not empty and not a run; choose another one with --out")
    if not overwrite:
        raise UsageError(
            f"{path}: a run is there already; --resume goes on with it, --overwrite replaces it, --out names another"
        )
    for name in _OURS:
        ours = path / name
        if ours.is_dir():
            shutil.rmtree(ours)
        else:
            ours.unlink(missing_ok=True)


def _check_format(found: object, path: Path) -> None:
    if not str(found).isdecimal():
        raise ModelFileError(f"{path}: not a file of s2s: it has no format number")
    if int(str(found)) > FORMAT:
        raise ModelFileError(f"{path}: made by a newer s2s (format {found}, known up to {FORMAT}); upgrade s2s")


def _check_name(path: Path, option: str) -> None:
    """Raise UsageError for a name that neither the run's JSON nor the library of its weights can hold."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{option} {path}: the name is not UTF-8: give the folder another") from None


def _step_of(line: str) -> int:
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        # A line that a kill cut short.
        return 2**63


def _write_text(path: Path, text: str) -> None:
    _write(path, text.encode("utf-8"))


def _write(path: Path, content: bytes) -> None:
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Tell what went wrong in writing a file as a TrainingError."""
    try:
        yield
    except OSError as error:
        raise TrainingError(
            f"{path}: cannot be written: {error.strerror}; what was saved before is untouched"
        ) from error
