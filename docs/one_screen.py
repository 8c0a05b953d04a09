"""A translator with Luong's attention on one screen, made of the package's own parts: python docs/one_screen.py."""

import random
from collections import Counter
from pathlib import Path

import torch

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.batches import Batch, pad
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.learning.state import fresh_state
from seq2seq_cli.learning.update import Updater
from seq2seq_cli.model.build import build_model
from seq2seq_cli.text.segmenter import Segmenter
from seq2seq_cli.text.sides import fit_codecs
from seq2seq_cli.text.vocabulary import BOS, EOS


def main(pairs: list[tuple[str, str]], epochs: int, sentence: str) -> str:
    """The translation of the sentence after training on the pairs; prints the loss and what each word attends to."""
    random.seed(1)
    torch.manual_seed(1)
    # LSTMs, score(q, h) = q . W h, and Luong's decoder with h~ = tanh(W [c; s]): see configs/sample.yaml.
    config = load_config("sample", ["text.src.language=en", "text.tgt.language=de", "training.lr=3e-3"])
    counts = []
    for side, texts in zip((config.text.src, config.text.tgt), zip(*pairs, strict=True), strict=True):
        tokens = Segmenter(side, "word").tokens
        counts.append(Counter(token for text in texts for token in tokens(text)))
    src, tgt = fit_codecs(config.text, *counts)
    ids = sorted(((src.read(s).ids, tgt.read(t).ids) for s, t in pairs), key=lambda pair: len(pair[0]))
    batches = [make_batch(ids[start : start + 64]) for start in range(0, len(ids), 64)]

    model = build_model(config.model, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
    updater = Updater(fresh_state(model, config.training, "fp32"), config.training)
    for epoch in range(epochs):
        random.shuffle(batches)
        updates = [updater.update([batch], fraction_done=epoch / epochs) for batch in batches]
        print(f"epoch {epoch + 1}: {sum(u.loss for u in updates) / sum(u.tokens for u in updates):.2f} nats per word")

    [translation] = Translator(model, src, tgt, config.decoding, torch.device("cpu")).translate([sentence])
    for word, weights in zip(translation.tgt_tokens, translation.weights, strict=True):
        print(f"{word:>12} <- {translation.src_tokens[weights.argmax()]} ({weights.max():.0%})")
    return translation.text


def make_batch(pairs: list[tuple[list[int], list[int]]]) -> Batch:
    """The pairs side by side: the encoder reads src, the decoder reads tgt_in and learns to answer tgt_out."""
    return Batch(
        src=pad([[*src, EOS] for src, _ in pairs]),
        src_lengths=torch.tensor([len(src) + 1 for src, _ in pairs]),
        tgt_in=pad([[BOS, *tgt] for _, tgt in pairs]),
        tgt_out=pad([[*tgt, EOS] for _, tgt in pairs]),
        tgt_lengths=torch.tensor([len(tgt) + 1 for _, tgt in pairs]),
    )


if __name__ == "__main__":
    lines = Path("data/sample.txt").read_text(encoding="utf-8").splitlines()
    print(main([(src, tgt) for src, tgt in (line.split("\t") for line in lines)], 8, "She kissed the old man."))
