"""Parameters of the host's methods, named as in the guests' open format. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from .host_errors import HostError
from .selection_rules import require_rule

MAX_URL_CHARS = 8_192
MAX_CAPTURE_TIMEOUT_MS = 120_000
MAX_LOGIN_TIMEOUT_MS = 600_000

Url = Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS)]
SelectorText = Annotated[str, Field(min_length=1, max_length=1_000)]
ContentFormat = Literal["html", "readable", "markdown", "text"]


class Params(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


def _checked_rules(rules: dict[str, Any]) -> dict[str, Any]:
    require_rule(rules)
    return rules


class CapturePage(Params):
    """``format``: the page's HTML, its main content as HTML, or its main content as Markdown or plain text.

    With ``select`` the result has ``data`` instead of ``content``.
    """

    url: Url
    waitForLoad: bool = True  # noqa: N815  names of the open format
    waitForSelector: SelectorText | None = None  # noqa: N815
    timeout: Annotated[int, Field(ge=100, le=MAX_CAPTURE_TIMEOUT_MS)] = 15_000
    format: ContentFormat = "html"
    select: Annotated[dict[str, Any], Field(min_length=1), AfterValidator(_checked_rules)] | None = None
    links: bool = False
    captureCookies: bool = False  # noqa: N815


class GetCookies(Params):
    domain: Annotated[str, Field(min_length=1, max_length=253)]
    openUrl: Url | None = None  # noqa: N815
    timeout: Annotated[int, Field(ge=100, le=MAX_CAPTURE_TIMEOUT_MS)] = 15_000


class EnsureLogin(Params):
    """Credentials are names of the guest's own secrets, or text; with neither, a person signs in.

    The login is complete when ``successSelector`` matches or, without one, when the password field is gone.
    """

    loginUrl: Url  # noqa: N815
    email: str | None = None
    password: str | None = None
    usernameSecret: str | None = None  # noqa: N815
    passwordSecret: str | None = None  # noqa: N815
    emailSelector: SelectorText = (  # noqa: N815
        'input[type="email"], input[name="email"], input[name="username"], input[autocomplete="username"]'
    )
    passwordSelector: SelectorText = 'input[type="password"]'  # noqa: N815
    submitSelector: SelectorText | None = None  # noqa: N815
    successSelector: SelectorText | None = None  # noqa: N815
    timeout: Annotated[int, Field(ge=100, le=MAX_LOGIN_TIMEOUT_MS)] = 60_000


class LoginThenCapture(EnsureLogin, CapturePage):
    """Captures the page after the login."""

    timeout: Annotated[int, Field(ge=100, le=MAX_LOGIN_TIMEOUT_MS)] = 60_000


class HttpGet(Params):
    url: Url
    headers: dict[str, str] = {}


def _upper_case(method: object) -> object:
    return method.upper() if isinstance(method, str) else method


class Fetch(Params):
    """Parameters of the prelude's ``fetch``."""

    url: Url
    method: Annotated[
        Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], BeforeValidator(_upper_case)
    ] = "GET"
    headers: Annotated[list[tuple[str, str]], Field(max_length=100)] = []
    body: str | None = None
    base64: str | None = None
    redirect: Literal["follow", "error", "manual"] = "follow"


P = TypeVar("P", bound=Params)


def parse_params(model: type[P], given: Mapping[str, Any]) -> P:
    """Raises ``HostError`` with ERR_INVALID_PARAMS."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or "params"
        raise HostError("ERR_INVALID_PARAMS", f"{where}: {problem['msg']}") from None
