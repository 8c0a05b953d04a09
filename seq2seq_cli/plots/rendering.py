"""Figures of matplotlib rendered as files: in every script that the system has a font for, and reproducibly."""

import contextlib
import io
import logging
import re
import warnings
from collections.abc import Callable
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
    content, is_complete = _rendered(draw, image_format, dpi)
    if not is_complete and _find_new_fonts():
        content, is_complete = _rendered(draw, image_format, dpi)
    if not is_complete:
        logger.warning(
            "no installed font has some of the characters: the picture shows boxes in their place; install a font of"
            " their script, such as one of Noto"
        )
    return content


def _rendered(draw: Callable[[], "Figure"], image_format: str, dpi: int) -> tuple[bytes, bool]:
    """The content of the file, and whether the fonts have all characters: matplotlib warns of each use of another."""
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
    metadata = {_DATES[image_format]: None} if image_format in _DATES else {}
    with settings, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw().savefig(content, format=image_format, dpi=dpi, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
    others = [warning for warning in caught if "missing from font" not in str(warning.message)]
    for warning in others:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return content.getvalue(), len(others) == len(caught)


def _installed(families: tuple[str, ...]) -> list[str]:
    from matplotlib import font_manager

    names = set(font_manager.get_font_names())
    return [family for family in families if family in names]


def _find_new_fonts() -> bool:
    """Find the fonts of the system that matplotlib's list, which it makes once and keeps, lacks; whether any is new."""
    from matplotlib import font_manager

    fonts = font_manager.fontManager
    known = len(fonts.ttflist)
    for path in sorted({*font_manager.findSystemFonts()} - {font.fname for font in fonts.ttflist}):
        with contextlib.suppress(OSError, RuntimeError, NotImplementedError):  # not a font that it can read
            fonts.addfont(path)
    return len(fonts.ttflist) > known
