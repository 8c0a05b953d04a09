"""The entry point of ``s2s`` and ``python -m seq2seq_cli``; it imports inside, where Ctrl-C is caught."""

import _thread
import gc
import sys
import time

TYPE_CHECKING = False  # as in seq2seq_cli/__init__.py
if TYPE_CHECKING:
    from sys import UnraisableHookArgs


def main() -> None:
    """Run ``s2s``; exit with 130 when it is interrupted while it is still being imported."""
    gc.disable()  # an import makes no garbage; `s2s` looks for it again when its command begins
    sys.unraisablehook = _interrupt_again
    try:
        from seq2seq_cli.cli.app import main as run

        run()
    except (Exception, KeyboardInterrupt) as error:
        from seq2seq_cli.errors import Interrupted, is_interruption

        if is_interruption(error):
            sys.exit(Interrupted.exit_code)
        raise


def _interrupt_again(dropped: "UnraisableHookArgs") -> None:
    """Interrupt the main thread again when Ctrl-C came where Python drops errors, such as in a finaliser."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    try:
        _thread.start_new_thread(_interrupt_soon, ())
    except RuntimeError:  # the interpreter is ending
        return


def _interrupt_soon() -> None:
    time.sleep(0.001)  # until the code that drops errors has ended; if it has not, this comes again
    _thread.interrupt_main()


if __name__ == "__main__":
    main()
