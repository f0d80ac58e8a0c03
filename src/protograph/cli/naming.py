"""Errors of the library in the words of the command: what was ``num_graphs`` there is ``--k`` here."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

# What the library calls an option of the command otherwise than the command itself does; the first that a command has.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "num_graphs": ("k",),
    "num_clusters": ("clusters", "prototypes"),
    "num_prototypes": ("prototypes", "clusters"),
    "random_state": ("seed", "seeds"),
    "hidden": ("layers",),
    "root": ("data_root",),
    "name": ("data", "names"),
    "path": ("model", "folder"),
}
QUOTED = r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|`[^`]*`"""


def naming_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command whose errors name its options; they stay what they are otherwise."""

    @functools.wraps(command)
    def named_command(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except Exception as error:
            names = names_of(command)
            # An error of the system has a number and a file besides its text, and names no option.
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (named(error.args[0], names),)
            if hasattr(error, "__notes__"):
                error.__notes__ = [named(note, names) for note in error.__notes__]
            raise

    return named_command


def names_of(command: Callable[..., Any]) -> dict[str, str]:
    """What the user calls each argument of the library: by the options of a command and what else they are called."""
    own = {
        name: _name(name, one)
        for name, hint in get_type_hints(command, include_extras=True).items()
        for one in get_args(hint)
        if isinstance(one, ArgumentInfo | OptionInfo)
    }
    other = {
        argument: own[found]
        for argument, names in SYNONYMS.items()
        if (found := next((name for name in names if name in own), None)) is not None
    }
    return own | other


def _name(parameter: str, info: ArgumentInfo | OptionInfo) -> str:
    if isinstance(info, ArgumentInfo):
        return (info.metavar or parameter.upper()).strip("[]")
    # Within Annotated, Typer has the first of the names where the default would be.
    given = [info.default, *(info.param_decls or ())]
    names = [one for one in given if isinstance(one, str) and one.startswith("--")]
    return names[0] if names else f"--{parameter.replace('_', '-')}"


def named(message: str, names: Mapping[str, str]) -> str:
    """A message with options in place of arguments, outside of quotation marks and of paths.

    An argument of one plain word, such as ``target``, may be a word of the sentence too: it is taken for the argument
    at the beginning of the message, and before ``=``.

    Args:
        message: The message.
        names: What the user calls each argument.

    >>> names = {"num_graphs": "--k", "target": "--target", "engine": "--engine", "skip_invalid": "--skip-invalid"}
    >>> named("num_graphs must be at least 1, got 0", names)
    '--k must be at least 1, got 0'
    >>> named("target must be one of the classes that the target has, got 'num_graphs'", names)
    "--target must be one of the classes that the target has, got 'num_graphs'"
    >>> named("engine='ray' needs Ray; leave it out with skip_invalid=True (--skip-invalid)", names)
    '--engine ray needs Ray; leave it out with --skip-invalid'
    """
    if not names:
        return message
    every = "|".join(map(re.escape, names))
    long = "|".join(re.escape(name) for name in names if "_" in name) or "(?!)"
    pattern = re.compile(
        rf"(?<![\w./-])(?P<set>{every})=(?P<value>'[^']*'|\"[^\"]*\"|[^\s,;)]*)(?: \(--[\w-]+\))?"
        rf"|(?P<quoted>{QUOTED})"
        rf"|^(?P<first>{every})(?=\[| (?:must|has|needs|wants)\b)"
        rf"|(?<![\w./-])(?P<long>{long})(?![\w/=-]|\.\w)"
    )
    return pattern.sub(lambda match: _replaced(match, names), message)


def _replaced(match: re.Match[str], names: Mapping[str, str]) -> str:
    if match["quoted"]:
        return match["quoted"]
    if match["set"]:
        value = match["value"].strip("'\"")
        return names[match["set"]] if value in ("", "True") else f"{names[match['set']]} {value}"
    return names[match["first"] or match["long"]]
