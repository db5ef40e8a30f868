"""What a call would do as things are now: the request for the policy, and the preview that a person is shown.

Made before every decision, so also after an approval. Values are redacted here, and what is typed into a field for
secrets becomes known to the redactor, before a person sees them and before anything is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TypedDict, cast
from urllib.parse import urlsplit

from browser_pilot.approvals import descriptions
from browser_pilot.approvals.amounts import find_amount
from browser_pilot.approvals.authorizer import ActionPreview
from browser_pilot.approvals.models import MAX_SHOWN_CHARACTERS, ApprovalRequest, digest
from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.files.file_types import UNKNOWN_EXTENSION
from browser_pilot.files.filenames import safe_filename
from browser_pilot.files.upload_paths import LocalFile
from browser_pilot.json_types import Json
from browser_pilot.page.actions.dialogs import DialogFacts
from browser_pilot.page.actions.target_facts import InspectedElement, SubmittedField
from browser_pilot.page.downloads.downloadable import Downloadable
from browser_pilot.page.observe.cookies import CookieSpec
from browser_pilot.page.snapshot.screenshot import element_preview
from browser_pilot.page.tab import Tab
from browser_pilot.policy.decide import PolicyRequest
from browser_pilot.policy.hosts import Site, page_site
from browser_pilot.policy.sensitivity import ElementFacts
from browser_pilot.redaction.offloading import redact
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.redaction.sensitive_names import FieldHints, sensitive_field_kind
from browser_pilot.secrets.secret_store import has_secret_references
from browser_pilot.sessions.session import Session

from .tool_call import ToolCall

# The redactor looks for every encoding of it in every text from then on.
MAX_SECRET_CHARACTERS = 10_000
_NOT_SHOWN = ("session", "tab", "timeout_ms")
MAX_SCRIPT_CHARACTERS = 10_000


@dataclass(frozen=True)
class Inspection:
    """What a call would act on, as inspected just now. ``shown`` are its arguments without secrets."""

    preview: ActionPreview
    shown: Mapping[str, object]
    elements: tuple[InspectedElement, ...] = ()
    dialog: DialogFacts | None = None
    downloadable: Downloadable | None = None
    files: tuple[LocalFile, ...] = ()
    cookie_sites: tuple[Site, ...] = ()

    @property
    def named_targets(self) -> tuple[Mapping[str, str], ...]:
        """The elements described independently of the page's refs, for the audit log."""
        return tuple(_named_target(element) for element in self.elements)


def plain_request(call: ToolCall, session: Session, site: Site | None, url: str) -> PolicyRequest:
    """What is known without inspecting the page."""
    return PolicyRequest(
        effect=call.effect,
        target=site,
        url=url,
        # A remote browser belongs to the session and has none of the user's data.
        engine="own" if session.engine == "own" else "managed",
        client=call.client.identity,
        # Read-only is a setting of the client; the rules are the same for all clients.
        session_mode="readonly" if call.client.settings.policy.mode == "readonly" else None,
        session_domains=session.domains,
    )


async def inspection_of(
    call: ToolCall,
    request: PolicyRequest,
    redactor: Redactor,
    *,
    elements: tuple[InspectedElement, ...] = (),
    dialog: DialogFacts | None = None,
    files: tuple[LocalFile, ...] = (),
) -> Inspection:
    """The preview of an action on ``elements``, on a ``dialog``, or on neither; ``files`` are uploaded."""
    request = replace(request, local_files=tuple(str(file.path) for file in files if not file.free))
    shown = await _shown_arguments(call, elements, dialog, redactor)
    requests = _requests(request, elements, dialog)
    described = _description(call, elements, dialog)
    steps = _steps(shown, elements)
    stable: object = [_stable_facts(element) for element in elements] or _stable_argument(call)
    # "Allow for this session" is for this script or these files, not for others on the same element.
    if stable and call.script:
        stable = (stable, call.script)
    if files:
        stable = (stable, [str(file.path) for file in files])
    form = await _form_preview(request, elements, redactor)
    preview = ActionPreview(
        **form,
        request=requests[0],
        also=requests[1:],
        what=descriptions.describe_action(call.tool, shown, element=described),
        element=described,
        stable_id=digest(stable) if stable else "",
        fingerprint=digest([element.target.fingerprint for element in elements]),
        values=descriptions.shown_values(shown),
        payload=digest(_payload(call), [str(file.path) for file in files]) if files else _payload(call),
        steps=steps,
        plan=digest(call.tool, steps) if steps else "",
    )
    return Inspection(preview, shown, elements, dialog, files=files)


async def download_inspection(
    call: ToolCall, request: PolicyRequest, resource: Downloadable, redactor: Redactor
) -> Inspection:
    """The preview of a download: authorized for the site that it comes from, and for the page that shows it."""
    shown = await _shown_arguments(call, (), None, redactor)
    site = page_site(resource.url) if resource.is_remote else request.target
    download = replace(
        request, target=site, url=resource.url if resource.is_remote else "", executable_type=call.executable
    )
    source = await redact(redactor.url, resource.source)
    called = resource.name or source.partition("?")[0].rpartition("/")[2] or "a file"
    kind = f", an executable file (.{call.executable})" if call.executable else ""
    name = _file_name(call, redactor)
    saved_as = f", saved as “{name}”" if name else ", saved under the time as its name"
    preview = ActionPreview(
        request=download,
        also=() if site == request.target else (replace(request, effect="read"),),
        what=f"Download “{await redact(redactor.text, called)}”{kind}{saved_as}",
        element=source,
        stable_id=digest("download", None if site is None else site.origin, call.executable),
        values=descriptions.shown_values(shown),
        payload=_payload(call),
    )
    return Inspection(preview, shown, downloadable=resource)


def _file_name(call: ToolCall, redactor: Redactor) -> str | None:
    """The name under which a download is saved, as far as it is known before; None if there is no proposed one."""
    proposed = redactor.filename(str(call.arguments.get("filename") or ""))
    extension = call.executable or proposed.rpartition(".")[2] or UNKNOWN_EXTENSION
    return safe_filename(proposed, extension) if proposed else None


async def cookie_inspection(
    call: ToolCall,
    request: PolicyRequest,
    cookies: CookieSpec,
    sites: tuple[Site, ...],
    domain_wide: frozenset[str],
    redactor: Redactor,
) -> Inspection:
    """The preview of a use of cookies: authorized for the sites that they belong to, and for the page. On the hosts in
    ``domain_wide`` they reach the names below too.
    """
    shown = await _shown_arguments(call, (), None, redactor)
    requests = tuple(
        replace(request, target=site, with_subdomains=site is not None and site.host in domain_wide)
        for site in (*sites, request.target)
    )
    preview = ActionPreview(
        request=requests[0],
        also=requests[1:],
        what=descriptions.describe_cookies(cookies.action, cookies.name, [str(one.target) for one in requests]),
        values=descriptions.shown_values(shown),
        payload=_payload(call),
    )
    return Inspection(preview, shown, cookie_sites=sites)


def require_reviewable(call: ToolCall, request: ApprovalRequest) -> None:
    """A person must be able to read all of what they approve: nothing is cut, so what is too long is refused."""
    if len(call.script) > MAX_SCRIPT_CHARACTERS:
        raise InvalidArgument(
            f"The script needs approval and is too long to be read: {len(call.script):,} characters; the maximum is "
            f"{MAX_SCRIPT_CHARACTERS:,}.",
            suggestions=["Split it into shorter scripts."],
        )
    if request.shown_characters > MAX_SHOWN_CHARACTERS:
        raise InvalidArgument(
            f"The action needs approval and is too long to be read: {request.shown_characters:,} characters; the "
            f"maximum is {MAX_SHOWN_CHARACTERS:,}.",
            suggestions=["Split it into several actions."],
        )


async def picture_for(tab: Tab | None, inspection: Inspection) -> bytes | None:
    """A screenshot of the element for the approval request; None when it cannot be taken or there are several."""
    if tab is None or len(inspection.elements) != 1:
        return None
    try:
        return await element_preview(tab, inspection.elements[0].target)
    except (PilotError, TimeoutError):
        return None


def frame_site(element: InspectedElement, page: Site | None) -> Site | None:
    """The site of an element's frame, where it is not the page's own; sandboxed and blank frames count as the page."""
    origin = element.target.origin
    site = page_site(origin) if origin not in ("", "null") else None
    return None if site is None or site == page else site


class _FormPreview(TypedDict, total=False):
    receiver: str
    receiver_is_other_site: bool
    form: dict[str, str]
    amount: str


async def _form_preview(
    request: PolicyRequest, elements: Sequence[InspectedElement], redactor: Redactor
) -> _FormPreview:
    """What is submitted, and to whom; empty if nothing is."""
    submitting = next((one for one in elements if one.form is not None), None)
    if submitting is None or submitting.form is None:
        return {}
    # Fields that this call fills are shown with their new values, as steps.
    filled = {one.facts.field for one in elements if not one.target.fingerprints_values}
    content: dict[str, str] = {}
    values: dict[str, str] = {}
    for field in submitting.form.fields:
        if field.facts not in filled:
            name = _free_name(field.label, content)
            values[name] = await _field_text(field, redactor)
            content[name] = f"{values[name]} (hidden field)" if field.hidden else values[name]
    if submitting.form.more:
        content["more fields"] = f"{submitting.form.more:,} are not listed"
    facts = submitting.facts
    receiver = page_site(facts.form_action)
    own = frame_site(submitting, request.target) or request.target
    labels = (facts.name, facts.submit_name)
    return {
        "receiver": await redact(redactor.url, facts.form_action) if receiver is None else _receiver(receiver, facts),
        "receiver_is_other_site": receiver is None or own is None or receiver.host != own.host,
        "form": content,
        "amount": find_amount(labels, values, submitting.form.lines),
    }


def _receiver(site: Site, facts: ElementFacts) -> str:
    return f"{site}{urlsplit(facts.form_action).path}"


def _free_name(label: str, taken: Mapping[str, str]) -> str:
    name = label or "unnamed field"
    return next(free for free in chain([name], (f"{name} ({n})" for n in count(2))) if free not in taken)


async def _field_text(field: SubmittedField, redactor: Redactor) -> str:
    hints = FieldHints(
        type=field.facts.type, autocomplete=field.facts.autocomplete, name=field.facts.name, label=field.label
    )
    if field.value is None:
        return "(secret)"
    if sensitive_field_kind(hints) is not None:
        return redactor.field(field.value, hints)
    return await redact(redactor.text, field.value)


def _named_target(element: InspectedElement) -> Mapping[str, str]:
    facts, target = element.facts, element.target
    names = {
        "role": facts.role,
        "name": facts.name,
        "field": facts.field.name,
        "frame": f'iframe[src^="{target.origin}"]' if target.frame.number else "",
        "given": element.given,
    }
    return {key: value for key, value in names.items() if value}


def _payload(call: ToolCall) -> str:
    return digest({name: value for name, value in call.arguments.items() if name not in _NOT_SHOWN})


async def _shown_arguments(
    call: ToolCall, elements: Sequence[InspectedElement], dialog: DialogFacts | None, redactor: Redactor
) -> dict[str, object]:
    """The call's arguments with secrets redacted, and the values for secret fields."""
    arguments = {name: value for name, value in call.arguments.items() if name not in _NOT_SHOWN}
    facts = [_field_facts(element.facts) for element in elements]
    if len(facts) == 1:
        for name in ("text", "value", "values"):
            if name in arguments:
                arguments[name] = _redacted_value(arguments[name], facts[0], redactor)
    fields = arguments.get("fields")
    if isinstance(fields, list | tuple):
        pairs = zip(cast("Sequence[object]", fields), facts, strict=False)
        arguments["fields"] = [_redacted_field(field, known, redactor) for field, known in pairs]
    if dialog is not None and isinstance(arguments.get("text"), str):
        arguments["text"] = _redacted_value(arguments["text"], FieldHints(label=dialog.message), redactor)
    return cast("dict[str, object]", await redact(redactor.data, cast("Json", arguments)))


def _requests(
    request: PolicyRequest, elements: Sequence[InspectedElement], dialog: DialogFacts | None
) -> tuple[PolicyRequest, ...]:
    if dialog is not None:
        # Accepting "Delete everything?" is pressing that button.
        return (replace(request, element=ElementFacts(role="button", name=dialog.message)),)
    if not elements:
        return (request,)
    return tuple(replace(request, element=one.facts, frame=frame_site(one, request.target)) for one in elements)


def _description(call: ToolCall, elements: Sequence[InspectedElement], dialog: DialogFacts | None) -> str:
    if dialog is not None:
        return f"{dialog.kind} “{dialog.message}”"
    if len(elements) == 1:
        return elements[0].description
    return "" if elements else descriptions.describe_element(call.arguments.get("element"))


def _steps(arguments: Mapping[str, object], elements: Sequence[InspectedElement]) -> tuple[str, ...]:
    steps = descriptions.describe_steps(arguments)
    if len(steps) != len(elements):
        return steps
    fields = cast("Sequence[object]", arguments.get("fields", ()))
    return tuple(
        descriptions.describe_step(element.description, field) for element, field in zip(elements, fields, strict=True)
    )


def _stable_facts(element: InspectedElement) -> object:
    """What identifies an element on any page of the site, for "allow for this session"."""
    facts = element.facts
    return (facts.role, facts.name, facts.field.type, facts.field.name, facts.form_action, facts.form_method)


def _stable_argument(call: ToolCall) -> object:
    element = call.arguments.get("element")
    return element if descriptions.is_stable_selector(element) else None


def _field_facts(facts: ElementFacts) -> FieldHints:
    field = facts.field
    return FieldHints(type=field.type, autocomplete=field.autocomplete, name=field.name, label=facts.name)


def _redacted_field(field: object, facts: FieldHints, redactor: Redactor) -> object:
    if not isinstance(field, Mapping):
        return field
    parts = cast("Mapping[str, object]", field)
    return {**parts, "value": _redacted_value(parts.get("value"), facts, redactor)}


def _redacted_value(value: object, facts: FieldHints, redactor: Redactor) -> object:
    """A value for a field; if the field is for secrets, the value is known as one from now on."""
    if not isinstance(value, str) or has_secret_references(value) or sensitive_field_kind(facts) is None:
        return value
    if len(value) > MAX_SECRET_CHARACTERS:
        raise InvalidArgument(
            f"A field for a secret gets at most {MAX_SECRET_CHARACTERS:,} characters.",
            suggestions=["Type a shorter text there."],
        )
    redactor.add_secrets([value])
    return redactor.field(value, facts)
