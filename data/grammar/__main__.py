"""Writes the sentence pairs and their alignment: `python -m data.grammar PATH`, run from the root of the repository."""

import argparse
from pathlib import Path

from data.grammar import pairs


def main() -> None:
    """Write a pair per line, its two sentences separated by a tab, and its links beside; UTF-8 on every system."""
    parser = argparse.ArgumentParser(prog="python -m data.grammar", description="Write English-German sentence pairs.")
    parser.add_argument("path", type=Path, help="the file of the pairs; its links go beside it, ending .align")
    path: Path = parser.parse_args().path
    made = pairs()
    path.write_bytes("".join(f"{pair.english}\t{pair.german}\n" for pair in made).encode("utf-8"))
    path.with_suffix(".align").write_bytes("".join(f"{pair.links}\n" for pair in made).encode("utf-8"))


if __name__ == "__main__":
    main()
