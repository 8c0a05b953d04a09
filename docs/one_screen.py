"""A translator with Luong's attention on one screen, made of the package's own parts: python docs/one_screen.py.

It takes about a minute of one core.
"""

from collections import Counter
from pathlib import Path
from time import perf_counter

import torch

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.batches import collate, epoch_order
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.learning.training_state import fresh_state
from seq2seq_cli.learning.update import Updater
from seq2seq_cli.model.build import build_model
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import fit_codecs


def main(pairs: list[tuple[str, str]], epochs: int, sentence: str) -> str:
    """The translation of the sentence after training on the pairs; prints the loss and what each word attends to."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the matrices are small: beside other work, threads mostly wait for each other
    started = perf_counter()
    # LSTMs, score(q, h) = q . W h, and Luong's decoder with h~ = tanh(W [c; s]): see configs/sample.yaml.
    config = load_config("sample", ["text.src.language=en", "text.tgt.language=de", "training.warmup_steps=0"])
    counts = []
    for side, texts in zip((config.text.src, config.text.tgt), zip(*pairs, strict=True), strict=True):
        tokens = get_segmenter(side, "word").tokens
        counts.append(Counter(token for text in texts for token in tokens(text)))
    src, tgt = fit_codecs(config.text, *counts)
    ids = ParallelIds(
        src=Ragged.of([src.read(text).ids for text, _ in pairs]),
        tgt=Ragged.of([tgt.read(text).ids for _, text in pairs]),
    )

    model = build_model(config.model, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
    updater = Updater(fresh_state(model, config.training, "fp32"), config.training)
    for epoch in range(epochs):
        # Batches of 64 pairs with sources of one length, in another order in each epoch.
        order = epoch_order(ids, size=64, unit="sentence", seed=1, epoch=epoch)
        updates = [updater.update(collate(ids, rows), fraction_done=epoch / epochs) for rows in order]
        loss = sum(u.loss * u.tokens for u in updates) / sum(u.tokens for u in updates)
        print(f"epoch {epoch + 1}: {loss:.2f} nats per word, {perf_counter() - started:.0f} s", flush=True)

    [translation] = translator_of(model, (src, tgt), config.decoding).translate([sentence])[0].sentences
    for word, weights in zip(translation.tgt_tokens, translation.weights, strict=True):
        print(f"{word:>12} <- {translation.src_tokens[weights.argmax()]} ({weights.max():.0%})")
    return translation.text


if __name__ == "__main__":
    lines = Path("data/sample.txt").read_text(encoding="utf-8").splitlines()
    print(main([(src, tgt) for src, tgt in (line.split("\t") for line in lines)], 5, "She kissed the old man."))
