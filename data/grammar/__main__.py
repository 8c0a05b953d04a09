"""Writes the sentence pairs to a file or to stdout: `python -m data.grammar [PATH]`, run from the repository root."""

import argparse
import sys
from pathlib import Path

from data.grammar import pairs


def main() -> None:
    """Write a pair a line, its two sentences separated by a tab, in UTF-8 on every system."""
    parser = argparse.ArgumentParser(prog="python -m data.grammar", description="Write English-German sentence pairs.")
    parser.add_argument("path", type=Path, nargs="?", help="the file to write; stdout if it is left out")
    path: Path | None = parser.parse_args().path
    text = "".join(f"{english}\t{german}\n" for english, german in pairs()).encode("utf-8")
    if path:
        path.write_bytes(text)
    else:
        sys.stdout.buffer.write(text)


if __name__ == "__main__":
    main()
