"""How commands are grouped, and how their help is laid out: nothing is ever cut, at any width."""

from typing import Any

import typer
from typer.core import TyperGroup


class Group(TyperGroup):
    """Commands under one name."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every command with the whole first paragraph about it, where Click would cut it short."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            about = (command and command.help) or ""
            rows.append((name, " ".join(about.split("\n\n")[0].split())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def group(help_text: str, cls: type[Group] = Group) -> typer.Typer:
    """An empty group; called without a command it shows its help."""
    return typer.Typer(
        cls=cls,
        help=help_text,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # its boxes cut long names on a narrow screen
    )
