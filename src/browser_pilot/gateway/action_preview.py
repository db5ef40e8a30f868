"""What a call would do as things stand now: for the decision, and in words for the person who may be asked.

Called before every decision, so also after an answer. Values are redacted here, and what is typed into a field for
secrets is made known to the redactor, before anyone is asked and anything is written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ..approvals import words
from ..approvals.clearance import Sight
from ..approvals.questions import digest
from ..errors import PilotError
from ..pages.capture import picture_of
from ..pages.dialogs import DialogFacts
from ..pages.facts import Seen, SeenElement
from ..pages.resource import Resource
from ..pages.tab import Tab
from ..policy.decide import Request
from ..policy.hosts import Site, page_site
from ..policy.sensitivity import ElementFacts
from ..records.names import FieldFacts, telling_field
from ..records.redaction import Json, Redactor
from ..records.secrets import has_placeholders
from ..sessions.session import Session
from .intent import Intent

_NOT_SHOWN = ("session", "tab", "timeout_ms")


def plain_request(intent: Intent, session: Session, site: Site | None, url: str) -> Request:
    """What is known without looking into the page."""
    return Request(
        effect=intent.effect,
        target=site,
        url=url,
        # A browser elsewhere is one of ours for as long as the session lasts; nothing of the user's is in it.
        engine="own" if session.engine == "own" else "managed",
        session=session.id,
        # A client may have chosen to be read-only; the rules know nothing of single clients.
        session_mode="readonly" if intent.client.settings.policy.mode == "readonly" else None,
        session_domains=session.domains,
    )


def sight(intent: Intent, request: Request, seen: Seen, arguments: Mapping[str, object], tab: Tab | None) -> Sight:
    """``arguments`` are those that may be shown."""
    requests = _requests(request, seen)
    named = _words_of(intent, seen)
    steps = _steps(arguments, seen)
    stable = [_lasting(one) for one in seen.elements] or _lasting_argument(intent)
    first = seen.elements[0] if len(seen.elements) == 1 else None
    return Sight(
        request=requests[0],
        also=requests[1:],
        what=words.what(intent.tool, arguments, element=named),
        element=named,
        fingerprint=digest(stable) if stable else "",
        seal=digest([one.target.seal for one in seen.elements]),
        values=words.values(arguments),
        payload=digest({name: value for name, value in intent.arguments.items() if name not in _NOT_SHOWN}),
        steps=steps,
        plan=digest(intent.tool, steps) if steps else "",
        picture=None if first is None or tab is None else _picture(tab, first),
    )


def download_sight(intent: Intent, request: Request, resource: Resource, runs: str, redactor: Redactor) -> Sight:
    """Saving a file: it is decided about where it comes from, and about the page that it is seen on."""
    site = page_site(resource.url) if resource.is_remote else request.target
    saved = replace(request, target=site, url=resource.url if resource.is_remote else "", runs=runs)
    source = redactor.url(resource.source)
    called = resource.name or source.partition("?")[0].rpartition("/")[2] or "a file"
    kind = f", a file that can run (.{runs})" if runs else ""
    return Sight(
        request=saved,
        also=() if site == request.target else (replace(request, effect="read"),),
        what=f"Download “{redactor.text(called)}”{kind}",
        element=source,
        fingerprint=digest("download", None if site is None else site.origin, runs),
        values=words.values(shown_arguments(intent, Seen(), redactor)),
        payload=digest({name: value for name, value in intent.arguments.items() if name not in _NOT_SHOWN}),
    )


def shown_arguments(intent: Intent, seen: Seen, redactor: Redactor) -> dict[str, object]:
    """The call's arguments without what goes into fields for secrets, and without what looks like one."""
    arguments = {name: value for name, value in intent.arguments.items() if name not in _NOT_SHOWN}
    by_target = {key: _field_facts(one.facts) for key, one in zip(seen.targets, seen.elements, strict=True)}
    if len(by_target) == 1:
        facts = next(iter(by_target.values()))
        for name in ("text", "value", "values"):
            if name in arguments:
                arguments[name] = _hidden(arguments[name], facts, redactor)
    fields = arguments.get("fields")
    if isinstance(fields, list | tuple) and len(by_target) == len(seen.elements):
        pairs = zip(cast("Sequence[object]", fields), by_target.values(), strict=False)
        arguments["fields"] = [_hidden_field(field, facts, redactor) for field, facts in pairs]
    if intent.answers_dialog and isinstance(arguments.get("text"), str) and seen.dialog is not None:
        facts = FieldFacts(label=seen.dialog.message)
        arguments["text"] = _hidden(arguments["text"], facts, redactor)
    return cast("dict[str, object]", redactor.data(cast("Json", arguments)))


def named_aims(seen: Seen) -> tuple[Mapping[str, str], ...]:
    """The elements in words that outlive the page, for the record."""
    return tuple(
        {
            key: value
            for key, value in {
                "role": one.facts.role,
                "name": one.facts.name,
                "field": one.facts.field.name,
                "frame": f'iframe[src^="{one.target.origin}"]' if one.target.frame.number else "",
                "given": given,
            }.items()
            if value
        }
        for one, given in zip(seen.elements, seen.targets, strict=True)
    )


def frame_site(element: SeenElement, page: Site | None) -> Site | None:
    """The site of an element's frame, where it is not the page's own; sandboxed and blank frames count as the page."""
    origin = element.target.origin
    site = page_site(origin) if origin not in ("", "null") else None
    return None if site is None or site == page else site


def _requests(request: Request, seen: Seen) -> tuple[Request, ...]:
    if seen.dialog is not None:
        return (replace(request, element=_dialog_facts(seen.dialog)),)
    if not seen.elements:
        return (request,)
    return tuple(replace(request, element=one.facts, frame=frame_site(one, request.target)) for one in seen.elements)


def _dialog_facts(dialog: DialogFacts) -> ElementFacts:
    """Agreeing to "Delete everything?" is pressing that button."""
    return ElementFacts(role="button", name=dialog.message)


def _words_of(intent: Intent, seen: Seen) -> str:
    if seen.dialog is not None:
        return f"{seen.dialog.kind} “{seen.dialog.message}”"
    if len(seen.elements) == 1:
        return seen.elements[0].words
    return "" if seen.elements else words.element_words(intent.arguments.get("element"))


def _steps(arguments: Mapping[str, object], seen: Seen) -> tuple[str, ...]:
    told = words.steps(arguments)
    if len(told) != len(seen.elements):
        return told
    return tuple(words.step(one.words, field) for one, field in zip(seen.elements, _fields(arguments), strict=True))


def _fields(arguments: Mapping[str, object]) -> Sequence[object]:
    return cast("Sequence[object]", arguments.get("fields", ()))


def _lasting(one: SeenElement) -> object:
    """What tells an element from others on any page of the site, for "allow for this session"."""
    facts = one.facts
    return (facts.role, facts.name, facts.field.type, facts.field.name, facts.form_action, facts.form_method)


def _lasting_argument(intent: Intent) -> object:
    element = intent.arguments.get("element")
    return element if words.is_lasting_name(element) else None


def _field_facts(facts: ElementFacts) -> FieldFacts:
    field = facts.field
    return FieldFacts(type=field.type, autocomplete=field.autocomplete, name=field.name, label=facts.name)


def _hidden_field(field: object, facts: FieldFacts, redactor: Redactor) -> object:
    if not isinstance(field, Mapping):
        return field
    parts = cast("Mapping[str, object]", field)
    return {**parts, "value": _hidden(parts.get("value"), facts, redactor)}


def _hidden(value: object, facts: FieldFacts, redactor: Redactor) -> object:
    """A value on its way into a field; if the field is for secrets, the value is one from now on."""
    if not isinstance(value, str) or has_placeholders(value) or telling_field(facts) is None:
        return value
    redactor.know([value])
    return redactor.field(value, facts)


def _picture(tab: Tab, one: SeenElement) -> Callable[[], Awaitable[bytes | None]]:
    async def take() -> bytes | None:
        try:
            return await picture_of(tab, one.target)
        except (PilotError, TimeoutError):
            return None  # a question without a picture is still a question

    return take
