"""Settings: defaults, then ``config.toml`` in the home, then ``BROWSER_PILOT_*``, then the command line.

Reads and validates only; nothing here watches files or keeps state (see ``live_reload``). Loading is the one place that
validates settings, also the patterns of the policy and settings that cannot work together. An invalid one is refused
with its key, its value and the valid values, so that a typo never silently means the default.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from browser_pilot.errors import SettingsError
from browser_pilot.home import locate_home
from browser_pilot.policy.types import Mode, Threshold
from browser_pilot.safe_text import one_line

from .browser_args import bypasses_proxy
from .policy_rules import compile_policy
from .policy_templates import TEMPLATES, TemplateName
from .setting_errors import settings_error

ResultFormat = Literal["toon", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
EngineName = Literal["managed", "own", "cdp", "grid"]
PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")

PREFIX = "BROWSER_PILOT_"
# Exceptions to the naming scheme: the home is located before any setting is read, the port has a short name.
HOME_VARIABLE = "BROWSER_PILOT_HOME"
PORT_VARIABLE = "BROWSER_PILOT_PORT"


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is required, not true or false")
    return value


StrictInt = Annotated[int, BeforeValidator(_no_boolean)]
Positive = Annotated[StrictInt, Field(gt=0)]
PositiveMinutes = Annotated[float, BeforeValidator(_no_boolean), Field(gt=0)]
# Texts that become part of a command line, an HTTP request or an address.
Line = Annotated[str, AfterValidator(one_line)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HubSettings(Section):
    """With ``redis_url``, hubs share limits and profiles through Redis; ``redis_key`` encrypts the profiles there."""

    host: Line = "127.0.0.1"
    port: Annotated[StrictInt, Field(ge=0, le=65535)] = 8777
    idle_minutes: PositiveMinutes = 10
    allowed_hosts: tuple[Line, ...] = ()
    redis_url: Line | None = None
    redis_key: str | None = None

    @property
    def is_port_chosen(self) -> bool:
        """Whether the port comes from the user, and not from the defaults."""
        return "port" in self.model_fields_set


class BrowserSettings(Section):
    """``engine`` own is the user's own Chrome, through the extension; ``own_browser`` names one of several paired ones.

    ``cdp_url`` and ``grid_url`` are the endpoints of the engines ``cdp`` and ``grid``.
    """

    engine: EngineName = "managed"
    own_browser: Line | None = None
    own_idle_minutes: PositiveMinutes = 5
    executable: Line | None = None
    headless: bool = True
    args: tuple[Line, ...] = ()
    viewport: tuple[Positive, Positive] = (1280, 720)
    user_data_dir: Line | None = None
    cdp_url: Line | None = None
    grid_url: Line | None = None
    launch_timeout_ms: Positive = 30_000

    @model_validator(mode="after")
    def _is_possible(self) -> BrowserSettings:
        for engine, url in (("cdp", self.cdp_url), ("grid", self.grid_url)):
            if self.engine == engine and url is None:
                raise ValueError(f'browser.engine = "{engine}" needs browser.{engine}_url, the URL to connect to')
        for argument in self.args if self.engine in ("managed", "own") else ():
            if bypasses_proxy(argument):
                raise ValueError(
                    f"browser.args has {argument!r}, which cannot work: managed browsers reach the network only "
                    "through Browser Pilot's own filtering proxy; remove it, and set network.proxy if you need one"
                )
        return self


class ToolSettings(Section):
    profile: str = "standard"
    format: ResultFormat = "toon"
    max_tokens: Annotated[StrictInt, Field(ge=200)] = 8_000
    timeout_ms: Positive = 30_000


class AskFromSettings(Section):
    """The lowest risk at which a sensitive action needs approval, by the kind of browser or site."""

    own: Threshold = "low"
    managed: Threshold = "high"
    loopback: Threshold = "never"


class DomainSettings(Section):
    """One rule. A field that it leaves open is decided by a wider rule, or by the defaults."""

    read: bool | Literal["ask"] | None = None
    write: bool | Literal["ask"] | None = None
    requires_approval: bool | None = None
    ask_from: Threshold | None = None
    max_steps_per_hour: Annotated[StrictInt, Field(ge=0)] | None = None
    mode: Mode | None = None


class SubresourceSettings(Section):
    """What pages in managed browsers may load, independent of where the agent may navigate."""

    uncovered: Literal["rules", "allow", "deny"] = "rules"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


def _proxy_setting(value: str) -> str:
    """``none``, ``env`` or a URL. Raises ``ValueError``."""
    parts = urlsplit(value)
    is_url = parts.scheme in PROXY_SCHEMES and bool(parts.hostname) and parts.port is not None
    if value in ("none", "env") or (is_url and parts.path in ("", "/")):
        return value
    raise ValueError('give "none", "env", or a URL such as http://proxy.example.com:3128')


class NetworkSettings(Section):
    """The way of managed browsers and guests to the network. ``proxy``: ``env`` is the environment's, if it has one.

    ``no_proxy``: hosts, domains, addresses and networks that are connected to directly.
    """

    proxy: Annotated[Line, AfterValidator(_proxy_setting)] = "env"
    no_proxy: tuple[Line, ...] = ()


class PolicySettings(Section):
    """``mode`` applies to managed browsers, ``own_mode`` to the user's own Chrome; read-only applies to both."""

    template: TemplateName = "balanced"
    mode: Mode = "auto"
    own_mode: Mode = "ask"
    uncovered: Literal["allow", "ask", "deny"] = "allow"
    ask_from: AskFromSettings = AskFromSettings()
    step_budget: Positive | None = None
    rate_per_minute: Positive = 60
    sensitive_patterns: tuple[str, ...] = ()
    approval_timeout_s: Positive = 60
    subresources: SubresourceSettings = SubresourceSettings()
    domains: dict[str, DomainSettings] = {}


class SessionSettings(Section):
    """``memory_mb`` limits all managed browsers together, ``per_browser`` the sessions that share one.

    With ``warm``, a browser with an open context is kept ready for the next session.
    """

    max: Positive = 10
    idle_minutes: PositiveMinutes = 30
    memory_mb: Positive = 2_048
    per_browser: Positive = 8
    warm: bool = True


class FileSettings(Section):
    """Files in ``upload_dirs`` are uploaded without approval.

    By default these are the download and screenshot folders, and ``uploads`` in the home.
    """

    screenshot_dir: Path = Path("screenshots")
    download_dir: Path = Path("downloads")
    trace_dir: Path = Path("traces")
    upload_dirs: tuple[Path, ...] | None = None
    max_download_mb: Positive = 2_048
    max_total_mb: Positive = 4_096
    keep_days: Positive = 7


class GuestSettings(Section):
    """Limits of each guest. The seconds are per call, and do not include time spent waiting for the host."""

    memory_mb: Annotated[int, Field(ge=4, le=1024)] = 64
    cpu_seconds: Annotated[float, Field(gt=0)] = 5
    call_seconds: Annotated[float, Field(gt=0)] = 60
    output_kb: Positive = 1_024
    log_kb: Positive = 64
    host_requests: Positive = 100
    idle_minutes: PositiveMinutes = 5
    max_running: Positive = 16
    keep_ready: bool = True
    browser: Literal["auto", "own", "managed"] = "auto"


class LoggingSettings(Section):
    level: LogLevel = "info"
    max_size_mb: Positive = 10
    retention_days: Positive = 30


class RedactionSettings(Section):
    """Optional redaction. Passwords, payment cards, codes, keys and tokens are always redacted."""

    email: bool = False
    phone: bool = False


FOLDERS = ("screenshot_dir", "download_dir", "trace_dir")


class Settings(Section):
    hub: HubSettings = HubSettings()
    browser: BrowserSettings = BrowserSettings()
    tools: ToolSettings = ToolSettings()
    policy: PolicySettings = PolicySettings()
    sessions: SessionSettings = SessionSettings()
    network: NetworkSettings = NetworkSettings()
    files: FileSettings = FileSettings()
    guests: GuestSettings = GuestSettings()
    logging: LoggingSettings = LoggingSettings()
    redaction: RedactionSettings = RedactionSettings()

    def at(self, home: Path) -> Settings:
        """A copy with absolute folders: relative ones are resolved in the home."""
        folders = {name: home / getattr(self.files, name).expanduser() for name in FOLDERS}
        given = self.files.upload_dirs
        upload_dirs = (Path("uploads"), folders["download_dir"], folders["screenshot_dir"]) if given is None else given
        absolute = tuple(home / folder.expanduser() for folder in upload_dirs)
        return self.model_copy(update={"files": self.files.model_copy(update={**folders, "upload_dirs": absolute})})


SettingKey = tuple[str, ...]

# Settings that a client may override for itself, with options of the adapter or the query of its HTTP URL.
CLIENT_OPTIONS: dict[str, SettingKey] = {
    "tools": ("tools", "profile"),
    "format": ("tools", "format"),
    "max_tokens": ("tools", "max_tokens"),
    "timeout_ms": ("tools", "timeout_ms"),
    "engine": ("browser", "engine"),
    "own_browser": ("browser", "own_browser"),
    "cdp": ("browser", "cdp_url"),
    "grid": ("browser", "grid_url"),
    "headed": ("browser", "headless"),
    "browser": ("browser", "executable"),
    "user_data_dir": ("browser", "user_data_dir"),
    "viewport": ("browser", "viewport"),
    "read_only": ("policy", "mode"),
}


def config_path(home: Path) -> Path:
    return home / "config.toml"


@dataclass(frozen=True)
class LoadedSettings:
    """The settings, and the source of each one that is not a default."""

    settings: Settings
    origins: Mapping[SettingKey, str]


def load_settings(
    *,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
    options: Mapping[str, object] | None = None,
) -> Settings:
    """``options`` are command-line options by dotted key; those that are None are not set."""
    return load_with_origins(home=home, environ=environ, options=options).settings


def load_with_origins(
    *,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
    options: Mapping[str, object] | None = None,
) -> LoadedSettings:
    environ = os.environ if environ is None else environ
    home = home if home is not None else locate_home(environ)
    path = config_path(home)
    merged: dict[str, Any] = {}
    origins: dict[SettingKey, str] = {}
    layers = (
        (((key, value, str(path)) for key, value in _leaves(_read_file(path)))),
        _from_environment(environ),
        ((tuple(key.split(".")), value, "the command line") for key, value in (options or {}).items()),
    )
    for layer in layers:
        for key, value, origin in layer:
            if value is not None:
                _put(merged, key, value)
                origins[key] = origin
    _apply_template(merged, origins)
    try:
        settings = Settings.model_validate(merged).at(home)
    except ValidationError as error:
        raise settings_error(error, origins, Settings()) from None
    compile_policy(settings.policy)
    return LoadedSettings(settings, origins)


def client_settings(base: Settings, options: Mapping[str, object]) -> Settings:
    """The settings of one client: the hub's, overridden by the client's own options."""
    changed = base.model_dump()
    for name, value in options.items():
        key = CLIENT_OPTIONS.get(name)
        if key is None:
            raise SettingsError(
                f"{name!r} is not an option of a client.", suggestions=[f"Options: {', '.join(CLIENT_OPTIONS)}."]
            )
        _put(changed, *_client_value(key, value))
        if name in ("cdp", "grid"):
            _put(changed, ("browser", "engine"), name)
    try:
        return Settings.model_validate(changed)
    except ValidationError as error:
        raise settings_error(error, {CLIENT_OPTIONS[name]: f"option {name}" for name in options}, Settings()) from None


def _client_value(key: SettingKey, value: object) -> tuple[SettingKey, object]:
    match key, value:
        case ("browser", "headless"), bool():
            return key, not value
        case ("policy", "mode"), True:
            return key, "readonly"
        case ("browser", "viewport"), str():
            return key, value.lower().split("x")
        case _:
            return key, value


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path} is not valid TOML: {error}",
            suggestions=[f"Correct {path}, or move it away to use the defaults."],
        ) from None
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read: {error.strerror}", suggestions=["Make the file readable for your user."]
        ) from None


def _leaves(table: Mapping[str, Any], prefix: SettingKey = ()) -> Iterator[tuple[SettingKey, Any]]:
    for name, value in table.items():
        if isinstance(value, dict) and len(prefix) < 2:
            yield from _leaves(cast(dict[str, Any], value), (*prefix, name))
        else:
            yield (*prefix, name), value


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[SettingKey, Any, str]]:
    for variable, text in sorted(environ.items()):
        if not variable.startswith(PREFIX) or variable == HOME_VARIABLE or text == "":
            continue
        if variable == PORT_VARIABLE:
            key: SettingKey = ("hub", "port")
        else:
            key = tuple(variable.removeprefix(PREFIX).lower().split("__"))
        yield key, parse_value(text), variable


def parse_value(text: str) -> Any:
    """Parse ``true``, ``8777`` and ``["a", "b"]`` as TOML; anything else is the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _put(table: dict[str, Any], key: SettingKey, value: Any) -> None:
    for name in key[:-1]:
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            inner = table[name] = {}
        table = cast(dict[str, Any], inner)
    table[key[-1]] = value


def _apply_template(merged: dict[str, Any], origins: dict[SettingKey, str]) -> None:
    """Add the template's values where the user set none. An unknown name is reported by the validation that follows."""
    policy = merged.get("policy")
    name = cast(dict[str, Any], policy).get("template") if isinstance(policy, dict) else None
    for key, value in _leaves({"policy": TEMPLATES.get(name, {}) if isinstance(name, str) else {}}):
        if key not in origins:
            _put(merged, key, value)
            origins[key] = f"the template {name}"
