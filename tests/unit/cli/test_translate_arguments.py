"""``--attention [FILE]``: which word is a file and which a sentence."""

import pytest

from seq2seq_cli.cli.commands.translate import with_attention_values


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        (["she kissed him ."], ["she kissed him ."]),
        (["--attention"], ["--attention=-"]),
        (["--attention", "she kissed him ."], ["--attention=-", "she kissed him ."]),
        (["she kissed him .", "--attention"], ["she kissed him .", "--attention=-"]),
        (["--attention", "map.png", "she"], ["--attention=map.png", "she"]),
        (["--attention", "Map.SVG"], ["--attention=Map.SVG"]),
        (["she", "--attention", "a/map.json"], ["she", "--attention=a/map.json"]),
        (["--attention=map.png", "she"], ["--attention=map.png", "she"]),
        (["--attention", "--tokens", "she"], ["--attention=-", "--tokens", "she"]),
        # A file that cannot be drawn is not a sentence: it is refused later.
        (["--attention", "map.pdf"], ["--attention=map.pdf"]),
        # After -- everything is a sentence.
        (["--attention", "--", "map.png"], ["--attention=-", "--", "map.png"]),
        (["--", "--attention", "map.png"], ["--", "--attention", "map.png"]),
    ],
)
def test_the_ending_tells_a_file_from_a_sentence(given: list[str], understood: list[str]) -> None:
    assert with_attention_values(given) == understood
