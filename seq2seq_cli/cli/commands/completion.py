"""``s2s completion``: what makes a shell complete the command line."""

import sys
from typing import Annotated, Literal

import typer

from seq2seq_cli.cli.completions import COMPLETE, PROGRAM


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script with which a shell completes commands, options, configs and runs.

    For bash, in ~/.bashrc: eval "$(s2s completion bash)"

    For zsh, in ~/.zshrc, after compinit: eval "$(s2s completion zsh)"

    For fish, once: s2s completion fish > ~/.config/fish/completions/s2s.fish
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # typer has only options for it

    sys.stdout.write(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETE, shell=shell) + "\n")
