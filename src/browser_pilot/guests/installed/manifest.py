"""A guest's manifest: the open format of the Harbor project, and our additions. Pure.

``manifest.json`` names the guest, its code (``runtime: "js"`` with ``scriptUrl`` or ``scriptBase64``, or
``wasm.file``), the hosts it may fetch from, its environment, secrets and tools. We add ``permissions`` (what it may
request of the browser) and ``browser`` (which browser). Unknown fields are ignored, so that guests written for other
hosts run unchanged.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from browser_pilot.errors import InvalidArgument
from browser_pilot.guests.argument_validation import check_schema
from browser_pilot.policy.patterns import Pattern, PatternError, parse_pattern
from browser_pilot.safe_text import parse_json

GuestKind = Literal["js", "wasm"]
BrowserChoice = Literal["auto", "own", "managed"]
GuestPermission = Literal[
    "browser:tabs.create", "browser:activeTab.read", "browser:cookies.read", "browser:login", "net:fetch"
]
PERMISSIONS: tuple[GuestPermission, ...] = get_args(GuestPermission)

GUEST_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,22}[a-z0-9]|[a-z0-9]")
# Names that agents and people would take for our own tools.
RESERVED_NAMES = frozenset({"browser", "browser-pilot", "guests", "host", "hub", "pilot"})
TOOL_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
MAX_TOOLS = 64
MAX_TEXT_CHARS = 1_000
MAX_MANIFEST_BYTES = 8 << 20
WASM_PAGE_BYTES = 65_536

ManifestText = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the guest's environment with its value."""

    name: str
    value: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class SecretRequirement:
    """``value``: the author's own, from an older manifest; the user's takes precedence."""

    name: str
    description: str = ""
    required: bool = True
    value: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ToolHints:
    """The author's claims about a tool; None where there is none, which MCP takes for the worst."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


UNKNOWN_HINTS = ToolHints()


@dataclass(frozen=True, slots=True)
class GuestTool:
    """``name`` is the guest's own; agents see ``tool_names.exposed_names``."""

    name: str
    description: str
    schema: Mapping[str, Any]
    title: str = ""
    output_schema: Mapping[str, Any] | None = None
    hints: ToolHints = UNKNOWN_HINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """``tools`` None: listed by the guest when it is added. ``permissions`` None: undeclared, so none is excluded."""

    name: str
    title: str
    version: str
    description: str
    author: str
    kind: GuestKind
    code_file: str | None
    code: bytes | None
    hosts: tuple[Pattern, ...]
    environment: tuple[Variable, ...]
    secrets: tuple[SecretRequirement, ...]
    tools: tuple[GuestTool, ...] | None
    permissions: tuple[GuestPermission, ...] | None
    browser: BrowserChoice
    memory_mb: int | None


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class _Network(_Part):
    hosts: Annotated[list[str], Field(max_length=100)] = []


class _Capabilities(_Part):
    network: _Network = _Network()


class _Wasi(_Part):
    version: str = "preview1"


class _Memory(_Part):
    initial: int | None = None
    maximum: Annotated[int | None, Field(gt=0)] = None


class _Wasm(_Part):
    file: str | None = None
    wasi: _Wasi = _Wasi()
    memory: _Memory = _Memory()


class _Variable(_Part):
    name: str
    description: ManifestText = ""
    default: str | int | float | bool | None = None


class _Secret(_Part):
    name: str
    description: Annotated[str, Field(validation_alias=AliasChoices("description", "label"))] = ""
    required: bool = True
    optional: bool = False
    default: str | int | float | bool | None = None


class _Annotations(_Part):
    title: ManifestText = ""
    read_only: Annotated[bool | None, Field(validation_alias=AliasChoices("readOnlyHint", "read_only"))] = None
    destructive: Annotated[bool | None, Field(validation_alias=AliasChoices("destructiveHint", "destructive"))] = None
    idempotent: Annotated[bool | None, Field(validation_alias=AliasChoices("idempotentHint", "idempotent"))] = None
    open_world: Annotated[bool | None, Field(validation_alias=AliasChoices("openWorldHint", "open_world"))] = None


class _Tool(_Part):
    name: str
    title: ManifestText = ""
    description: Annotated[str, Field(max_length=8_000)] = ""
    input_schema: Annotated[dict[str, Any], Field(validation_alias=AliasChoices("inputSchema", "input_schema"))] = {
        "type": "object"
    }
    output_schema: Annotated[
        dict[str, Any] | None, Field(validation_alias=AliasChoices("outputSchema", "output_schema"))
    ] = None
    annotations: _Annotations = _Annotations()

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: object) -> object:
        """Some servers send null for what they do not have."""
        if not isinstance(given, Mapping):
            return given
        fields = cast("Mapping[Any, Any]", given)
        return {name: value for name, value in fields.items() if value is not None}


class _Manifest(_Part):
    manifest_version: Annotated[str, Field(validation_alias=AliasChoices("manifestVersion"))] = "1.0.0"
    id: str | None = None
    name: ManifestText
    display_name: Annotated[str, Field(validation_alias=AliasChoices("displayName"))] = ""
    version: ManifestText = "0"
    description: ManifestText = ""
    author: str | dict[str, Any] = ""
    runtime: str | None = None
    script_url: Annotated[str | None, Field(validation_alias=AliasChoices("scriptUrl"))] = None
    script_base64: Annotated[str | None, Field(validation_alias=AliasChoices("scriptBase64"))] = None
    wasm: _Wasm | None = None
    capabilities: _Capabilities = _Capabilities()
    environment: list[_Variable] = []
    secrets: list[_Secret] = []
    tools: Annotated[list[_Tool] | None, Field(max_length=MAX_TOOLS)] = None
    permissions: list[GuestPermission] | None = None
    browser: BrowserChoice = "auto"

    @field_validator("environment", "secrets", mode="before")
    @classmethod
    def _from_table(cls, given: object) -> object:
        """Older manifests have an object of names and values."""
        if isinstance(given, Mapping):
            return [{"name": name, "default": value} for name, value in given.items()]  # pyright: ignore[reportUnknownVariableType]
        return given


def parse_manifest(data: bytes) -> Manifest:
    """Raises ``InvalidArgument`` with the reason."""
    if len(data) > MAX_MANIFEST_BYTES:
        raise InvalidArgument("The manifest is too large.")
    try:
        given = _Manifest.model_validate(parse_json(data))
    except (ValueError, RecursionError) as error:
        raise _invalid(_first_problem(error)) from None
    if not given.manifest_version.startswith("1."):
        raise _invalid(f"manifestVersion {given.manifest_version!r} is not supported; 1.0.0 is")
    kind, code_file, code = _code(given)
    maximum = given.wasm.memory.maximum if given.wasm else None
    return Manifest(
        name=_name(given),
        title=given.display_name or given.name,
        version=given.version,
        description=given.description,
        author=given.author if isinstance(given.author, str) else str(given.author.get("name", "")),
        kind=kind,
        code_file=code_file,
        code=code,
        hosts=tuple(_pattern(host) for host in given.capabilities.network.hosts),
        environment=tuple(
            Variable(_variable_name(one.name), _to_text(one.default), one.description) for one in given.environment
        ),
        secrets=tuple(
            SecretRequirement(
                _variable_name(one.name),
                one.description,
                one.required and not one.optional,
                None if one.default is None else _to_text(one.default),
            )
            for one in given.secrets
        ),
        tools=None if given.tools is None else parse_tools([tool.model_dump() for tool in given.tools]),
        permissions=None if given.permissions is None else tuple(dict.fromkeys(given.permissions)),
        browser=given.browser,
        memory_mb=None if maximum is None else max(1, maximum * WASM_PAGE_BYTES >> 20),
    )


def parse_tools(given: object) -> tuple[GuestTool, ...]:
    """Tools as a manifest or the guest itself lists them."""
    if not isinstance(given, list):
        raise _invalid("its tools are not a list")
    tools: dict[str, GuestTool] = {}
    for entry in given[: MAX_TOOLS + 1]:  # pyright: ignore[reportUnknownVariableType]
        try:
            tool = _Tool.model_validate(entry)
        except ValidationError as error:
            raise _invalid(f"a tool is invalid: {_first_problem(error)}") from None
        if not TOOL_NAME.fullmatch(tool.name):
            raise _invalid(f"{tool.name[:80]!r} is not a valid name for a tool: use letters, digits, _, -, . and /")
        check_schema(tool.input_schema)
        if tool.output_schema is not None:
            check_schema(tool.output_schema)
        claims = tool.annotations
        hints = ToolHints(claims.read_only, claims.destructive, claims.idempotent, claims.open_world)
        title = tool.title or claims.title
        tools[tool.name] = GuestTool(tool.name, tool.description, tool.input_schema, title, tool.output_schema, hints)
    if len(tools) > MAX_TOOLS:
        raise _invalid(f"it has more than {MAX_TOOLS} tools")
    return tuple(tools.values())


def _name(given: _Manifest) -> str:
    name = (given.id or given.name).strip().lower().replace(" ", "-").replace("_", "-").replace(".", "-")
    if not GUEST_NAME.fullmatch(name) or "--" in name:
        raise _invalid(
            f"{name[:80]!r} is not a valid name for a guest: use up to 24 lower-case letters, digits and single hyphens"
        )
    if name in RESERVED_NAMES:
        raise _invalid(f"the name {name!r} is reserved: it would look like a part of Browser Pilot")
    return name


def _code(given: _Manifest) -> tuple[GuestKind, str | None, bytes | None]:
    if given.runtime == "js" or (given.runtime is None and given.wasm is None):
        if given.script_base64 is not None:
            try:
                return "js", None, base64.b64decode(given.script_base64, validate=True)
            except (binascii.Error, ValueError):
                raise _invalid("scriptBase64 is not valid base64") from None
        if given.script_url:
            return "js", given.script_url, None
        raise _invalid("it names no code: scriptUrl, scriptBase64 or wasm.file")
    if given.runtime not in (None, "wasm") or given.wasm is None or not given.wasm.file:
        raise _invalid(f"the runtime {given.runtime!r} is not supported, or wasm.file is missing")
    if given.wasm.wasi.version not in ("preview1", "0.1", "snapshot1", "wasi_snapshot_preview1"):
        raise _invalid(f"WASI {given.wasm.wasi.version!r} is not supported; preview1 is")
    return "wasm", given.wasm.file, None


def _pattern(host: str) -> Pattern:
    try:
        return parse_pattern(host)
    except PatternError as error:
        raise _invalid(f"a host is invalid: {error}") from None


def _variable_name(name: str) -> str:
    if not VARIABLE_NAME.fullmatch(name):
        raise _invalid(f"{name[:80]!r} is not a valid name for a variable")
    return name


def _to_text(value: str | float | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _first_problem(error: Exception) -> str:
    if isinstance(error, ValidationError):
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or "it"
        return f"{where}: {problem['msg'].lower()}"
    return "it is not JSON" if isinstance(error, ValueError) else "it is nested too deeply"


def _invalid(what: str) -> InvalidArgument:
    return InvalidArgument(
        f"The guest's manifest cannot be used: {what}.", suggestions=["docs/guests.md describes the format."]
    )
