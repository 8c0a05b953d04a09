"""``s2s translate``."""


def translate() -> None:
    """Come soon."""


from typer.core import TyperCommand as TranslateCommand  # noqa: E402
