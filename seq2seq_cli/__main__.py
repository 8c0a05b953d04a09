"""Where ``s2s`` and ``python -m seq2seq_cli`` begin: with next to nothing loaded, so that Ctrl-C finds no gap."""

import sys


def main() -> None:
    """Run ``s2s``; interrupted before it can say so itself, it ends as it would then."""
    try:
        from seq2seq_cli.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
