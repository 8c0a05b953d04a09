"""Commands that measure speed, quality and reliability and print the figures; README.md lists them."""

import argparse


def parser_of(module: str, manual: str | None) -> argparse.ArgumentParser:
    """The parser of the program ``python -m benchmarks.MODULE``, whose help shows the manual as it stands."""
    return argparse.ArgumentParser(
        prog=f"python -m benchmarks.{module}", description=manual, formatter_class=argparse.RawDescriptionHelpFormatter
    )
