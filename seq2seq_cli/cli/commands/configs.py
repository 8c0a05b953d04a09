"""``s2s configs``: the configs that s2s knows by name, and what their keys mean."""

import sys
from itertools import groupby
from typing import Annotated

import typer

from seq2seq_cli.cli.parsing import PlainGroup
from seq2seq_cli.cli.terminal import write_json
from seq2seq_cli.config import catalog
from seq2seq_cli.config.loader import annotated_yaml, load_config
from seq2seq_cli.config.schema.config import Config

app = typer.Typer(name="configs", cls=PlainGroup, rich_markup_mode=None, add_completion=False)


@app.callback(invoke_without_command=True)
def list_configs(context: typer.Context) -> None:
    """List the configs that --config finds by name, or show one."""
    if context.invoked_subcommand is not None:
        return
    entries = catalog.list_configs()
    width = max(len(entry.name) for entry in entries)
    for number, (group, members) in enumerate(groupby(entries, key=lambda entry: entry.group)):
        sys.stdout.write("\n" * (number > 0) + f"{group}\n")
        for entry in members:
            sys.stdout.write(f"  {entry.name:<{width}}  {entry.description}\n")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from the list, or a path.")],
    short: Annotated[
        bool, typer.Option("--short", help="Print the file as it is: the keys that it states, each with its reason.")
    ] = False,
) -> None:
    """Print a whole config: every key with its meaning, choices or range, and default.

    To make one of your own: s2s configs show luong_dot > mine.yaml
    """
    text = catalog.read_config_text(catalog.find_config(name))
    sys.stdout.write(text if short else annotated_yaml(load_config(name), catalog.describe_config(text)))


@app.command()
def schema() -> None:
    """Print the JSON schema of all configs.

    It has the type, range, default and meaning of every key; editors complete and check YAML with it.
    """
    write_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()})
