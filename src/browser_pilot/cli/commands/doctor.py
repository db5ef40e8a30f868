"""`browser-pilot doctor`: checks everything that Browser Pilot needs, and suggests fixes."""

from __future__ import annotations

import asyncio

import typer

from browser_pilot.cli.output import (
    FAILURE,
    SUCCESS,
    WARNING,
    AsJson,
    count_noun,
    out,
    print_json,
    print_line,
    progress,
)
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.errors import SettingsError
from browser_pilot.home import locate_home


def doctor(as_json: AsJson = False) -> None:
    """Check browser, home, port, hub and versions, open a page, and show how to fix problems."""
    # Imported here, because the import is slow.
    from browser_pilot.cli.doctor_checks import CheckResult, run_checks
    from browser_pilot.cli.trial_hub import check_page

    home = locate_home()
    findings: list[CheckResult] = []
    try:
        settings = load_settings(home=home)
        findings.append(CheckResult("Settings", "ok", "valid"))
    except SettingsError as error:
        settings = Settings().at(home)
        findings.append(CheckResult("Settings", "problem", error.message, " ".join(error.suggestions)))
    with progress("Running all checks; a hub and a browser are started …"):
        findings += asyncio.run(run_checks(home, settings))
        # The page needs all of it: one problem is shown once.
        if not any(finding.state == "problem" for finding in findings):
            findings.append(asyncio.run(check_page(home, settings)))
    problems = sum(finding.state == "problem" for finding in findings)
    warnings = sum(finding.state == "warning" for finding in findings)
    if as_json:
        rows = [{"what": f.name, "state": f.state, "says": f.detail, "mend": f.fix} for f in findings]
        print_json({"ok": problems == 0, "findings": rows})
    else:
        for finding in findings:
            print_line(finding.mark, f" {finding.name:<10} ", finding.detail)
            if finding.fix:
                print_line(" " * 13, "→ ", finding.fix)
        out.line()
        if problems:
            print_line(FAILURE, f" Found {count_noun(problems, 'problem')}.")
        elif warnings:
            print_line(WARNING, f" No problems, {count_noun(warnings, 'warning')}.")
        else:
            print_line(SUCCESS, " No problems found.")
    if problems:
        raise typer.Exit(1)
