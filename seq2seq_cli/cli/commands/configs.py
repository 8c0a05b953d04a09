"""``s2s configs``: the configs that s2s knows by name, and what their keys mean."""

import sys
from itertools import groupby
from typing import Annotated

import typer

from seq2seq_cli.cli.completions import complete_config
from seq2seq_cli.cli.terminal.json_output import write_json
from seq2seq_cli.errors import UsageError

app = typer.Typer(rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def list_configs(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array, for programs.")] = False,
) -> None:
    """List the configs that --config finds by name, or show one."""
    from seq2seq_cli.config import catalog

    if context.invoked_subcommand is not None:
        if as_json:
            raise UsageError("--json before a command is for the list: s2s configs show NAME --json")
        return
    entries = catalog.list_configs()
    if as_json:
        write_json([entry._asdict() for entry in entries])
        return
    width = max((len(entry.name) for entry in entries), default=0)
    for number, (group, members) in enumerate(groupby(entries, key=lambda entry: entry.group)):
        sys.stdout.write("\n" * (number > 0) + f"{group}\n")
        for entry in members:
            sys.stdout.write(f"  {entry.name:<{width}}  {entry.description}".rstrip() + "\n")


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name from the list, or a path.", autocompletion=complete_config)
    ],
    short: Annotated[
        bool, typer.Option("--short", help="Print the file as it is: the keys that it states, each with its reason.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object with all keys, for programs.")] = False,
) -> None:
    """Print a whole config: every key with its meaning, choices or range, and default.

    To make one of your own: s2s configs show luong_dot > mine.yaml
    """
    from seq2seq_cli.config.annotated import annotated_yaml
    from seq2seq_cli.config.catalog import describe_config, find_config, hides_shipped, read_config_text
    from seq2seq_cli.config.loader import load_config

    if short and as_json:
        raise UsageError("--json prints all keys and --short the file: give one of them")
    path = find_config(name)
    if not path.stat().st_size and hides_shipped(path):
        raise UsageError(
            f"{path}: this empty file is found before the shipped config of that name: delete it, and write the"
            " output to a file of another name"
        )
    if as_json:
        write_json(load_config(name).model_dump(mode="json"))
        return
    sys.stdout.write(read_config_text(path) if short else annotated_yaml(load_config(name), describe_config(path)))


@app.command()
def schema() -> None:
    """Print the JSON schema of all configs.

    It has the type, range, default and meaning of every key; editors complete and check YAML with it.
    """
    from seq2seq_cli.config.schema.config import Config

    json_schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
    write_json(json_schema)
