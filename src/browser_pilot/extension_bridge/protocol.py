"""The wire protocol between hub and extension. Pure: text in, validated messages out.

After the handshake every frame is a JSON list of messages, so that many small ones travel together. The hub sends calls
(``id``, ``call``, ``args``), notifications (``notice``, ``data``) and pings; the extension sends responses (``id`` with
``result``, ``error`` or ``lost``), events (``event``, ``args``) and pongs. Any incompatible change increments
``PROTOCOL_VERSION``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from browser_pilot.json_types import JsonObject

PROTOCOL_VERSION = 3
# Derived from the manifest's key, wherever the extension is loaded from.
EXTENSION_ID = "goihobhpcjgcjbadknbdkenilaohbljf"
EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_ID}"

# What the user decided about all agents in this browser. The extension stores and enforces it.
Halted: TypeAlias = Literal["", "paused", "stopped"]


class ProtocolError(ValueError):
    """The text is not a valid message."""


class Hello(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["hello"]
    protocol: int
    version: str = Field(max_length=50)
    agent: str = Field(max_length=500)
    instance: str = Field(max_length=100)
    nonce: str = Field(min_length=16, max_length=100)
    browser: str | None = Field(max_length=100)
    halted: Halted = ""


class Proof(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["proof"]
    proof: str = Field(max_length=100)


@dataclass(frozen=True, slots=True)
class ExtensionResponse:
    id: str
    result: object = None
    error: str | None = None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    event: str
    args: list[Any]


@dataclass(frozen=True, slots=True)
class Pong:
    number: int


ExtensionMessage = ExtensionResponse | Event | Pong


def parse_hello(text: str) -> Hello:
    try:
        return Hello.model_validate_json(text)
    except ValidationError as error:
        raise ProtocolError("not a hello") from error


def parse_proof(text: str) -> Proof:
    try:
        return Proof.model_validate_json(text)
    except ValidationError as error:
        raise ProtocolError("not a proof") from error


def parse_frame(text: str) -> list[ExtensionMessage]:
    try:
        frame: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("not JSON") from error
    if not isinstance(frame, list):
        raise ProtocolError("not a list of messages")
    return [_parse(message) for message in cast("list[object]", frame)]


def _parse(message: object) -> ExtensionMessage:
    if not isinstance(message, dict):
        raise ProtocolError("not a message")
    fields = cast(JsonObject, message)
    match fields.get("event"), fields.get("args"), fields.get("id"), fields.get("pong"):
        case str(event), list(), None, None:
            return Event(event, cast("list[Any]", fields["args"]))
        case None, None, str(id_), None if fields.get("lost") is True:
            return ExtensionResponse(id_, lost=True)
        case None, None, str(id_), None if isinstance(fields.get("error"), str):
            return ExtensionResponse(id_, error=fields["error"])
        case None, None, str(id_), None if "result" in fields:
            return ExtensionResponse(id_, result=fields["result"])
        case None, None, None, int(number):
            return Pong(number)
        case _:
            raise ProtocolError("not a message")


def encode_frame(messages: list[JsonObject]) -> str:
    return json.dumps(messages, separators=(",", ":"))
