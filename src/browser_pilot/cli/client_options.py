"""The options of an MCP client (``stdio_adapter.options``) as options of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from browser_pilot.stdio_adapter.options import CLIENT_OPTIONS, ClientOption

PARAMETER = "client_arguments"


def with_client_options(command: Callable[..., None], heading: str) -> Callable[..., None]:
    """Give the command these options. Its parameter ``client_arguments`` gets them as they were given."""

    def run(**given: Any) -> None:
        arguments = [
            part for option in CLIENT_OPTIONS for part in _given_arguments(option, given.pop(_parameter(option)))
        ]
        command(**given, **{PARAMETER: tuple(arguments)})

    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != PARAMETER]
    added = [
        inspect.Parameter(
            _parameter(option),
            inspect.Parameter.KEYWORD_ONLY,
            default=typer.Option(
                None if option.metavar else False,
                option.flag,
                metavar=option.metavar or None,
                help=f"{option.help[:1].upper()}{option.help[1:]}.",
                rich_help_panel=heading,
                show_default=False,
            ),
            annotation=str | None if option.metavar else bool,
        )
        for option in CLIENT_OPTIONS
    ]
    parameters = [*own, *added]
    run.__dict__["__signature__"] = signature.replace(parameters=parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = command.__doc__
    return run


def _parameter(option: ClientOption) -> str:
    return option.flag.removeprefix("--").replace("-", "_")


def _given_arguments(option: ClientOption, value: str | bool | None) -> list[str]:
    if not isinstance(value, str):
        return [option.flag] if value else []
    try:
        parsed = option.parse(value)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint=option.flag) from None
    if option.choices and parsed not in option.choices:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(option.choices)}.", param_hint=option.flag)
    return [option.flag, str(parsed)]
