"""`browser-pilot doctor`: is everything there that Browser Pilot needs, and if not, what to do."""

from __future__ import annotations

import asyncio

import typer

from ..config import Settings, load_settings
from ..errors import SettingsError
from ..home import locate_home
from .output import BAD, GOOD, WARNING, AsJson, out, print_json, progress, say


def doctor(as_json: AsJson = False) -> None:
    """Check browser, home, port, hub and versions: what is wrong, and how to mend it."""
    # Late, because every command would wait for them.
    from .checks import Finding, examine

    home = locate_home()
    findings: list[Finding] = []
    try:
        settings = load_settings(home=home)
        findings.append(Finding("Settings", "ok", "valid"))
    except SettingsError as error:
        settings = Settings().at(home)
        findings.append(Finding("Settings", "problem", error.message, " ".join(error.suggestions)))
    with progress("Looking at everything, and starting the browser once …"):
        findings += asyncio.run(examine(home, settings))
    problems = sum(finding.state == "problem" for finding in findings)
    warnings = sum(finding.state == "warning" for finding in findings)
    if as_json:
        rows = [{"what": f.what, "state": f.state, "says": f.says, "mend": f.mend} for f in findings]
        print_json({"ok": problems == 0, "findings": rows})
    else:
        for finding in findings:
            say(finding.mark, f" {finding.what:<10} ", finding.says)
            if finding.mend:
                say(" " * 13, "→ ", finding.mend)
        out.line()
        if problems:
            say(BAD, f" {problems} {'problem' if problems == 1 else 'problems'} to mend.")
        elif warnings:
            say(WARNING, f" It works; {warnings} {'thing is' if warnings == 1 else 'things are'} worth a look.")
        else:
            say(GOOD, " All is well.")
    if problems:
        raise typer.Exit(1)
