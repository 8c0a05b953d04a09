"""The section ``data``: the sentence pairs."""

from typing import Annotated

from pydantic import Field

from seq2seq_cli.config.schema.section import NonNegativeInt, PositiveInt, Section


class DataConfig(Section):
    """The sentence pairs: which are used, and how many are held out."""

    limit: PositiveInt | None = None
    """Number of lines read, from the first on; null: all. Files of given splits (--valid, --test) are read whole."""
    encoding: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", examples=["utf-8", "latin-1"])] = "utf-8"
    """Encoding of the pair files, unless a byte order mark at the start of a file names another."""
    columns: Annotated[str, Field(examples=["en,de", "2,4"])] | None = None
    """The first and the second column of the pair files, by name or number; null: found by their names and content."""
    swap: bool = False
    """Translate from the second column into the first."""
    max_tokens: PositiveInt = 100
    """Most tokens per side, before BPE; pairs with a longer side are dropped and counted, but not those of given splits
    (--valid, --test). Of characters (text.unit character), five times as many are allowed."""
    max_ratio: Annotated[float, Field(gt=1.0)] = 9.0
    """Largest ratio of the token counts of both sides; pairs with a larger one are dropped and counted, but not
    those of given splits."""
    valid_sources: NonNegativeInt = 2000
    """Distinct source sentences held out for validation: this many, but at most a tenth of all; none with --valid."""
    test_sources: NonNegativeInt = 2000
    """Distinct source sentences held out for the test: this many, but at most a tenth of all; none with --test."""
