from collections import Counter

import torch
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.learning.output_loss import draw_words

VOCABULARY = 12
some_targets = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=8).map(torch.tensor)


@given(targets=some_targets, drawn=st.integers(1, VOCABULARY), multiple=st.integers(1, 4), seed=st.integers(0, 99))
def test_the_words_of_the_batch_are_certain_and_the_drawn_ones_stand_for_all_others(
    targets: torch.Tensor, drawn: int, multiple: int, seed: int
) -> None:
    torch.manual_seed(seed)
    sample = draw_words(targets, vocabulary=VOCABULARY, drawn=drawn, multiple=multiple)
    certain = set(targets.tolist())
    while (len(certain) + drawn) % multiple:
        drawn += 1
    if VOCABULARY - len(certain) <= drawn:
        assert sample is None
        return
    assert sample is not None
    counts = dict(zip(sample.words.tolist(), sample.counts.tolist(), strict=True))
    assert certain <= set(counts)
    assert all(counts[word] == 1 for word in certain)
    assert len(counts) == len(certain) + drawn
    others = VOCABULARY - len(certain)
    assert all(count == torch.tensor(others / drawn).item() for word, count in counts.items() if word not in certain)
    assert torch.equal(sample.words[sample.places[targets]], targets)


def test_a_sum_over_the_sample_is_that_over_the_vocabulary_on_average() -> None:
    torch.manual_seed(0)
    values = torch.tensor([5.0, 1.0, 2.0, 6.0])  # of the words 0 to 3; 0 is certain, one of the others stands for three
    draws = 3000
    sums: Counter[float] = Counter()
    for _ in range(draws):
        sample = draw_words(torch.tensor([0, 0]), vocabulary=4, drawn=1)
        assert sample is not None
        sums[(sample.counts @ values[sample.words]).item()] += 1
    # The mean of the three is the sum over the vocabulary, 14: without a bias, they are equally frequent.
    assert sums.keys() == {5 + 3 * 1.0, 5 + 3 * 2.0, 5 + 3 * 6.0}
    assert all(abs(count - draws / 3) < 100 for count in sums.values())  # four standard deviations are 103
