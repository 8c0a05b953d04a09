"""The entry point of ``s2s`` and ``python -m seq2seq_cli``; it imports inside, where Ctrl-C is caught."""

import gc
import sys


def main() -> None:
    """Run ``s2s``; exit with 130 when it is interrupted while it is still being imported."""
    gc.disable()  # an import makes no garbage; `s2s` looks for it again when its command begins
    try:
        from seq2seq_cli.cli.program import main as run

        run()
    except (Exception, KeyboardInterrupt) as error:
        from seq2seq_cli.errors import Interrupted, is_interruption

        if is_interruption(error):
            sys.exit(Interrupted.exit_code)
        raise


if __name__ == "__main__":
    main()
