"""Figures of matplotlib as the content of files: with every script that the system has a font for, and reproducible."""

import io
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

logger = logging.getLogger(__name__)

Image = Literal["png", "svg", "pdf"]

_DPI = 150

# After matplotlib's own font, those that systems have for scripts that it lacks.
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
_DATES: dict[Image, str] = {"svg": "Date", "pdf": "CreationDate"}
"""Where a format would say when it was made."""


def image_bytes(draw: Callable[[], "Figure"], image: Image) -> bytes:
    """What `draw` draws as a file's content, with room for all that stands around the axes: no label is ever cut.

    Of characters that no installed font has, it shows boxes, and says so in the log. The same figure gives the same
    bytes.
    """
    import matplotlib as mpl

    content = io.BytesIO()
    settings = mpl.rc_context(
        {
            "font.family": _installed(_FONTS),
            "text.usetex": False,
            "text.parse_math": False,  # "$" is a word
            "svg.fonttype": "none",  # words stay words: they can be searched, and the viewer chooses the font
            "svg.hashsalt": "s2s",
            "pdf.fonttype": 42,  # words, here too
        }
    )
    with settings, _one_warning_about_fonts():
        metadata = {_DATES[image]: None} if image in _DATES else {}
        draw().savefig(content, format=image, dpi=_DPI, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
    return content.getvalue()


def _installed(families: tuple[str, ...]) -> list[str]:
    from matplotlib import font_manager

    names = set(font_manager.get_font_names())
    return [family for family in families if family in names]


@contextmanager
def _one_warning_about_fonts() -> Iterator[None]:
    """Let matplotlib's warnings, one for each missing character and use of it, be one line of the log."""
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
