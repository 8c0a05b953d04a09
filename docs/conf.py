"""The site that `make docs` builds of README, the pages of this folder and the docstrings; a dead link fails the build.

The source folder is the root of the repository, so that links between the pages are the same here and on disk.
"""

import re
from textwrap import indent

from sphinx.application import Sphinx

from seq2seq_cli.version import __version__

project = "s2s"
release = __version__
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md", "data/README.md", "docs/**"]
exclude_patterns = ["docs/gallery/**"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
maximum_signature_line_length = 100
default_role = "code"

html_theme = "furo"
html_title = f"s2s {__version__}"
html_additional_pages = {"index": "to_readme.html"}
html_use_index = False
templates_path = ["templates"]

CONTENTS = """
```{toctree}
:caption: Use it
:hidden:

docs/your-own-data
docs/small-languages
docs/training
docs/recipes
docs/translating
docs/documents
docs/evaluation
docs/robustness
docs/runs
docs/sharing
docs/exporting
docs/serving
docs/scaling
docs/trust
docs/python
docs/commands
```

```{toctree}
:caption: Understand it
:hidden:

docs/lesson
docs/mechanisms
docs/gallery
docs/log
docs/reference
data/README
benchmarks/README
CONTRIBUTING
CHANGELOG
```
"""

LINK_TO_CODE = re.compile(r"\[`([\w/.]+)`\]\((?:\.\./)?(seq2seq_cli/[\w/]+)\.py(#L\d+-L\d+)?\)")

COLUMNS = re.compile(r"^\w+ {2,}\w", re.MULTILINE)


def adapt(_: Sphinx, page: str, source: list[str]) -> None:
    """Give README the contents of the site, and let links to code lead to its entry in the reference."""
    source[0] = LINK_TO_CODE.sub(link_to_reference, source[0])
    if page == root_doc:
        source[0] += CONTENTS


def link_to_reference(link: re.Match[str]) -> str:
    """The link to a class, where the link has its lines, or to a module."""
    text, path, lines = link.groups()
    module = path.removesuffix("/__init__").replace("/", ".")
    return f"{{any}}`{text} <{f'{module}.{text}' if lines else module}>`"


def keep_columns(_app: Sphinx, _kind: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Show a paragraph of a docstring whose lines have columns as it stands there."""
    paragraphs = "\n".join(lines).split("\n\n")
    shown = [f"::\n\n{indent(text, '   ')}" if COLUMNS.search(text) else text for text in paragraphs]
    lines[:] = "\n\n".join(shown).split("\n")


def setup(app: Sphinx) -> None:
    """Connect the two, as Sphinx calls it."""
    app.connect("autodoc-process-docstring", keep_columns)
    app.connect("source-read", adapt)
