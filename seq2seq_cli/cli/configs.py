"""``s2s configs``: the models that the tool knows by name."""

import json
import sys
from itertools import groupby
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def list_configs(context: typer.Context) -> None:
    """List the configs that --config knows by name, or show one."""
    from seq2seq_cli.config import catalog

    if context.invoked_subcommand is None:
        entries = catalog.list_configs()
        width = max((len(entry.name) for entry in entries), default=0)
        for number, (group, members) in enumerate(groupby(entries, key=lambda entry: entry.group)):
            sys.stdout.write("\n" * (number > 0) + f"{group}\n")
            for entry in members:
                sys.stdout.write(f"  {entry.name:<{width}}  {entry.description}".rstrip() + "\n")


@app.command()
def show(name: Annotated[str, typer.Argument(metavar="NAME", help="A name from the list, or a path.")]) -> None:
    """Print a config, comments included.

    To make one of your own: s2s configs show luong_dot > mine.yaml
    """
    from seq2seq_cli.config.catalog import find_config, read_config_text

    sys.stdout.write(read_config_text(find_config(name)))


@app.command()
def schema() -> None:
    """Print the JSON schema of all configs.

    It says each key's type, range, default and meaning; editors complete and check YAML with it.
    """
    from seq2seq_cli.config.schema import Config

    json_schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
    sys.stdout.write(json.dumps(json_schema, indent=2, ensure_ascii=False) + "\n")
