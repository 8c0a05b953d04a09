"""``python -m seq2seq_cli`` is ``s2s``."""

from seq2seq_cli.cli.app import main

if __name__ == "__main__":
    main()
