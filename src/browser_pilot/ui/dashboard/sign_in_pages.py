"""The pages that stand in for the dashboard before and after a sign-in: one template, four texts.

They are readable without their script, in English; with it, in the user's language.
"""

from __future__ import annotations

import json
from html import escape
from string import Template
from typing import Literal, cast

from .static_files import read_file, read_page

SignInPage = Literal["signed_out", "expired", "wrong_origin", "signed_in"]

# The prefix of a page's messages in the locale files, and whether it shows the command or a link to the dashboard.
_PAGES: dict[SignInPage, tuple[str, Literal["command", "link"]]] = {
    "signed_out": ("signedOut", "command"),
    "expired": ("expired", "command"),
    "wrong_origin": ("wrongOrigin", "link"),
    "signed_in": ("signedIn", "command"),
}


def sign_in_page(name: SignInPage, *, key: str = "") -> str:
    """``key`` belongs to a new login session: the page saves it and opens the dashboard."""
    prefix, shows = _PAGES[name]
    messages = cast("dict[str, dict[str, str]]", json.loads(read_file("ui/dashboard/static/locales/en.json")[0]))

    def text(message: str) -> str:
        return escape(messages[message]["message"])

    return Template(read_page("sign_in")).substitute(
        key=escape(key),
        title_name=f"{prefix}Title",
        title=text(f"{prefix}Title"),
        text_name=f"{prefix}Text",
        text=text(f"{prefix}Text"),
        command_hidden="" if shows == "command" else "hidden",
        link_hidden="" if shows == "link" else "hidden",
        link=text("openDashboard"),
    )
