"""The layout of a run folder: the names of its parts."""

from pathlib import Path

RUNS = Path("runs")
"""The folder of all runs, by default."""

FORMAT = 1
"""Format number of corpus.json and metrics.jsonl."""

CONFIG = "config.yaml"
METRICS = "metrics.jsonl"
MOST_METRICS_BYTES = 64_000_000
"""Size of the largest metrics.jsonl that is read: the records of twenty million updates."""
CARD = "README.md"
CORPUS = "corpus.json"
TRAINED = "trained.json"
BEST = Path("best", "model.safetensors")
ENCODER = BEST.with_name("encoder.onnx")
DECODER = BEST.with_name("decoder.onnx")
DECODER_INT8 = BEST.with_name("decoder_int8.onnx")
FEATURES = BEST.with_name("features.onnx")
EXPORT_RECORD = BEST.with_name("export.json")
EXPORTED = (ENCODER, DECODER, DECODER_INT8, FEATURES, EXPORT_RECORD)
"""The files of the exported model."""
PAIRS = "pairs"
PAIR_FILES = {
    name: Path(PAIRS, f"{name}.npy")
    for name in ("src", "src.offsets", "tgt", "tgt.offsets", "index", "index.offsets", "norms")
}
"""The files of the training pairs that translations consult, by the names of their arrays."""
LAST = Path("last", "training.pt")
PREVIOUS = LAST.with_name("previous.pt")
CHECKPOINTS = (LAST, PREVIOUS)
EPOCHS = "epochs"
CODEC = "codec"
LOCK = ".lock"
MARK = ".s2s-run"
"""The file by which ``--overwrite`` recognises a folder that it may replace: a config.yaml may be anybody's."""
LATEST = RUNS / "latest"
"""The name of the newest run."""

READ = (
    *(CONFIG, CARD, METRICS, CORPUS, TRAINED, CODEC, PAIRS, BEST.parts[0], LAST.parts[0]),
    *(EPOCHS, LOCK),
)
"""The names at the top of a run folder that s2s reads, or writes into."""
