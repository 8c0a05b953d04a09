"""Figures of matplotlib rendered as files: in every script that the system has a font for, and reproducibly."""

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

logger = logging.getLogger(__name__)

DPI = 150
"""Dots per inch of a png, unless others are asked for."""

# Matplotlib's own font first, then system fonts for the scripts that it lacks.
_FONTS = (
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Emoji",
    "Arial Unicode MS",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Nirmala UI",
    "Leelawadee UI",
)
_DATES = {"svg": "Date", "pdf": "CreationDate"}
"""The metadata key of the date, which is left out so that the same figure gives the same bytes."""


_UNDRAWABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even escaped: https://www.w3.org/TR/xml/#charsets"""


def drawable(text: str) -> str:
    """The text with U+FFFD for each character that a picture cannot hold; all texts of a figure must go through it."""
    return _UNDRAWABLE.sub("\ufffd", text)


def render(draw: Callable[[], "Figure"], image_format: str, *, dpi: int = DPI) -> bytes:
    """The figure that `draw` makes, as the content of a file (png, svg or pdf), with room for all labels.

    A character without an installed font appears as a box, with one warning in the log. The same figure gives the same
    bytes.
    """
    import matplotlib as mpl

    content = io.BytesIO()
    settings = mpl.rc_context(
        {
            "font.family": _installed(_FONTS),
            "text.usetex": False,
            "text.parse_math": False,  # "$" is a word
            "svg.fonttype": "none",  # text stays text: it can be searched, and the viewer chooses the font
            "svg.hashsalt": "s2s",
            "pdf.fonttype": 42,  # text, here too
        }
    )
    with settings, _one_warning_about_fonts():
        metadata = {_DATES[image_format]: None} if image_format in _DATES else {}
        draw().savefig(content, format=image_format, dpi=dpi, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
    return content.getvalue()


def _installed(families: tuple[str, ...]) -> list[str]:
    from matplotlib import font_manager

    names = set(font_manager.get_font_names())
    return [family for family in families if family in names]


@contextmanager
def _one_warning_about_fonts() -> Iterator[None]:
    """Replace matplotlib's warnings, one per use of a missing character, by one line in the log."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing = 0
    for warning in caught:
        if "missing from font" in str(warning.message):
            missing += 1
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if missing:
        logger.warning("no installed font has some of the characters: the picture shows boxes in their place")
