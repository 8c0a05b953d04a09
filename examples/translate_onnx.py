"""Translate with a model that s2s exported: onnxruntime and numpy alone, the best token at each step.

python translate_onnx.py DIR < units.txt

DIR was made by s2s export. Each line is a sentence that is cut into units of DIR/src_units.json, with spaces between.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # nothing is reported to the maker of onnxruntime
import onnxruntime

PAD, UNK, BOS, EOS = range(4)


def translate(encoder, decoder, options, src):
    """The ids of the translation of a sentence given by its ids."""
    src = np.array([[*src, EOS]], dtype=np.int64)
    tensors = run(encoder, {"src": src, "lengths": np.array([src.size], dtype=np.int64)})
    fixed = {"slots": [[0]], "places": [0], "k": 1, "asked": [[]]}
    fixed = {name: np.array(value, dtype=np.int64) for name, value in fixed.items()}
    translation, longest = [BOS], (options["max_length_factor"] or 1.5) * (src.size - 1) + options["max_length_extra"]
    while translation[-1] != EOS and len(translation) <= longest:
        step = run(decoder, {"tokens": np.array(translation[-1:], dtype=np.int64), **fixed, **tensors})
        translation.append(int(step["best_tokens"][0, 0]))
        tensors.update({name.removeprefix("next_"): step[name] for name in step if name.startswith("next_")})
    return [token for token in translation if token not in (BOS, EOS)]


def run(session, inputs):
    """The outputs of a graph by their names."""
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def main(folder):
    """Translate the lines of standard input."""
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8")
    encoder, decoder = (
        onnxruntime.InferenceSession(folder / "best" / f"{name}.onnx") for name in ("encoder", "decoder")
    )
    src, tgt = (json.loads((folder / f"{side}_units.json").read_text("utf-8")) for side in ("src", "tgt"))
    options = json.loads((folder / "best" / "export.json").read_text("utf-8"))["decoding"]
    ids = {unit: number for number, unit in enumerate(src)}
    for line in sys.stdin:
        units = line.split()
        translation = translate(encoder, decoder, options, [ids.get(unit, UNK) for unit in units]) if units else []
        print(" ".join(tgt[token] for token in translation))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
