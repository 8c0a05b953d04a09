"""Small evaluations as pages take them."""

from seq2seq_cli.pages.data import AttentionData, Details, EvaluationData


def evaluation_of(source: str, output: str, *, details: Details | None = None) -> EvaluationData:
    """That of one system on one sentence."""
    return {
        "title": f"s2s evaluate: {source}",
        "report": [[source], {"titles": [source, "score"], "rows": [["BLEU", "1.00"]], "numbers": False}],
        "languages": ("en", "de"),
        "systems": ["runs/a"],
        "metric": "chrF2++",
        "sources": [{"source": source, "references": [output], "outputs": [output], "scores": [100.0]}],
        "details": [{"0": details or {"sentences": [attention_of(source, output)], "n_best": [(output, -0.1)]}}],
    }


def attention_of(source: str, translation: str) -> AttentionData:
    """Attention of each token, between spaces, to the one at its place; the rest to the last one."""
    src, tgt = [*source.split(), "<eos>"], [*translation.split(), "<eos>"]
    weights = [[0.0] * len(src) for _ in tgt]
    for row, place in enumerate(weights):
        place[min(row, len(src) - 1)] += 0.75
        place[-1] += 0.25
    return {
        "source": source,
        "translation": translation,
        "src_tokens": src,
        "tgt_tokens": tgt,
        "weights": weights,
        "log_probabilities": [-0.1] * len(tgt),
        "tree": {
            "nodes": [
                *((row - 1, token, -0.1, "kept", None, 4 + row) for row, token in enumerate(tgt[:-1])),
                (len(tgt) - 2, "<eos>", -0.1, "finished", -0.1, 3),
                (-1, source, -2.5, "pruned", None, 4),
            ],
            "best": len(tgt) - 1,
        },
    }
