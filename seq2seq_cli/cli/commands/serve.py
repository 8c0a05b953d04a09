"""``s2s serve``: the translation server."""

from pathlib import Path
from typing import Annotated

import typer

from seq2seq_cli.cli.parsing import Device, Overrides, Threads, loading, option, run_option
from seq2seq_cli.cli.terminal import tell, warn
from seq2seq_cli.errors import UsageError, how_to_install


def serve(
    model: Annotated[list[Path] | None, run_option("A run", "; given more than once, one per direction")] = None,
    host: Annotated[str, option("HOST", "The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, option("N", "Its port; 0: any free one.", min=0, max=65535)] = 5000,
    api_keys: Annotated[
        Path | None, option("FILE", "Translate only for those who send a key of this file, which has one per line.")
    ] = None,
    suggestions: Annotated[
        bool, typer.Option(help="Keep the corrections that people send, in suggestions.tsv of the run, for its owner.")
    ] = False,
    max_characters: Annotated[int, option("N", "Most characters of a request.", min=1)] = 20_000,
    max_waiting: Annotated[
        int, option("N", "Most characters of unanswered requests; others are refused (429).", min=1)
    ] = 400_000,
    timeout: Annotated[
        float, option("S", "Seconds to receive a request, and to translate it.", min=0.1, max=3600)
    ] = 30.0,
    threads: Threads = None,
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Run a translation server, with a page to try it.

    Programs that know LibreTranslate can use it. Ctrl-C or SIGTERM stops it once every request that it has taken is
    answered.
    """
    with loading():
        try:  # not above: the packages of an extra
            import py3langid  # noqa: F401  # it is asked once a language is to be detected

            from seq2seq_cli.serve.app import Application, load_runs
            from seq2seq_cli.serve.requests import read_keys
            from seq2seq_cli.serve.server import address_of, is_reachable, open_socket, run
        except ModuleNotFoundError as error:
            raise UsageError(f"serve needs the package {error.name}: {how_to_install('serve')}") from None

    keys = read_keys(api_keys) if api_keys else []
    with open_socket(host, port) as listener:
        if is_reachable(listener) and not keys:
            warn("other machines can reach this server without an API key: --api-keys FILE asks for one")
        with loading():
            runs = load_runs(model or [None], device=device, overrides=overrides or [], threads=threads)
        started = f"translates {', '.join(map('-'.join, runs))} at {address_of(listener)}"
        application = Application(
            runs=runs,
            keys=keys,
            takes_suggestions=suggestions,
            max_characters=max_characters,
            max_waiting=max_waiting,
            timeout=timeout,
        )
        run(application, listener, lambda: tell(started))
    tell("stopped")
