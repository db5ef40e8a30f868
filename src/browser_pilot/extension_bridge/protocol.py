"""The language between hub and extension. Pure: texts in, checked messages out.

After the greeting every frame is a JSON list of messages, so that many small ones travel together. Down go calls
(``id``, ``call``, ``args``), notices (``notice``, ``data``) and pings; up come answers (``id`` with ``result``,
``error`` or ``lost``), events (``event``, ``args``) and pongs. ``PROTOCOL`` is raised by any change that the other side
would misunderstand.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

PROTOCOL = 1
# The id that the manifest's key gives the extension, wherever it is loaded from.
EXTENSION_ID = "goihobhpcjgcjbadknbdkenilaohbljf"
EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_ID}"

Json = dict[str, Any]


class WireError(ValueError):
    """What came over the wire is no message of ours."""


class Hello(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["hello"]
    protocol: int
    version: str = Field(max_length=50)
    agent: str = Field(max_length=500)
    instance: str = Field(max_length=100)
    nonce: str = Field(min_length=16, max_length=100)
    browser: str | None = Field(max_length=100)


class Proof(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["proof"]
    proof: str = Field(max_length=100)


@dataclass(frozen=True, slots=True)
class Answered:
    id: str
    result: object = None
    error: str | None = None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Happened:
    event: str
    args: list[Any]


@dataclass(frozen=True, slots=True)
class Pong:
    number: int


Up = Answered | Happened | Pong


def parse_hello(text: str) -> Hello:
    try:
        return Hello.model_validate_json(text)
    except ValidationError as error:
        raise WireError("not a greeting") from error


def parse_proof(text: str) -> Proof:
    try:
        return Proof.model_validate_json(text)
    except ValidationError as error:
        raise WireError("not a proof") from error


def parse_frame(text: str) -> list[Up]:
    try:
        frame: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("not JSON") from error
    if not isinstance(frame, list):
        raise WireError("not a list of messages")
    return [_parse(message) for message in cast("list[object]", frame)]


def _parse(message: object) -> Up:
    if not isinstance(message, dict):
        raise WireError("not a message")
    fields = cast(Json, message)
    match fields.get("event"), fields.get("args"), fields.get("id"), fields.get("pong"):
        case str(event), list(), None, None:
            return Happened(event, cast("list[Any]", fields["args"]))
        case None, None, str(id_), None if fields.get("lost") is True:
            return Answered(id_, lost=True)
        case None, None, str(id_), None if isinstance(fields.get("error"), str):
            return Answered(id_, error=fields["error"])
        case None, None, str(id_), None if "result" in fields:
            return Answered(id_, result=fields["result"])
        case None, None, None, int(number):
            return Pong(number)
        case _:
            raise WireError("not a message")


def frame_of(messages: list[Json]) -> str:
    return json.dumps(messages, separators=(",", ":"))
