"""What a form does, by its fields and its target, whatever its button is called. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ada_url import URL

from .keywords import ActionCategory, FieldCategory
from .labels import field_category, is_amount_field
from .url_paths import target_category


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A form field: ``type`` and ``autocomplete`` attributes, and its ``name``, ``id`` or label."""

    type: str = ""
    autocomplete: str = ""
    name: str = ""


NO_FIELD = FieldFacts()


@dataclass(frozen=True, slots=True)
class FormFacts:
    """A form that is submitted. ``is_unnamed``: the button has no name, or one that says nothing ("Continue").

    ``origin`` is that of its document.
    """

    action: str
    is_post: bool
    fields: tuple[FieldFacts, ...]
    origin: str
    is_unnamed: bool

    @property
    def goes_to_another_site(self) -> bool:
        """Whether the form posts to another origin than its document's."""
        if not self.is_post or not self.origin.startswith("http"):
            return False
        try:
            return URL(self.action).origin != self.origin
        except ValueError:
            return False


def form_category(form: FormFacts) -> ActionCategory | None:
    """What submitting the form does, by its fields and its target."""
    kinds = [secret_field(field, "") for field in form.fields]
    if "card" in kinds:
        return "pay"
    if (form.is_post or form.is_unnamed) and any(_takes_amount(field) for field in form.fields):
        return "transfer"
    if kinds.count("password") > 1:
        return "change_password"
    category = target_category(form.action) if form.is_post else None
    return category or ("sign_in" if "password" in kinds else None)


def secret_field(field: FieldFacts, label: str) -> FieldCategory | None:
    """The kind of secret that a field is for; None when it is an ordinary field."""
    tokens = field.autocomplete.lower().split()
    if any(token.startswith("cc-") for token in tokens):
        return "card"
    if "one-time-code" in tokens:
        return "one_time_code"
    if field.type.lower() == "password" or any(token.endswith("-password") for token in tokens):
        return "password"
    return field_category(name=field.name, label=label)


def _takes_amount(field: FieldFacts) -> bool:
    return "transaction-amount" in field.autocomplete.lower() or is_amount_field(field.name)
