"""`browser-pilot status` and `browser-pilot stop`: shows and stops the running hub."""

from __future__ import annotations

from pathlib import Path

from browser_pilot import __version__
from browser_pilot.cli.hub_control import RunningHub, find_hub, stop_hub, token_path
from browser_pilot.cli.output import FAILURE, RUNNING, SUCCESS, WARNING, AsJson, print_json, print_line, progress
from browser_pilot.home import locate_home

# Parts that have rows of their own.
PARTS_WITH_OWN_ROWS = frozenset({"hub", "browsers"})


def status(as_json: AsJson = False) -> None:
    """Show the hub: its address, clients, sessions, browsers and the health of its parts."""
    home = locate_home()
    hub = find_hub(home)
    if as_json:
        print_json(status_data(home, hub))
    elif hub is None:
        print_line("○ No hub is running.")
        print_line("  `browser-pilot serve` starts one; an MCP client that runs `browser-pilot` starts one as well.")
    else:
        _show(home, hub)


def stop(as_json: AsJson = False) -> None:
    """Stop the hub and its browsers; succeeds if none is running."""
    home = locate_home()
    hub = find_hub(home)
    if hub is not None:
        with progress("Stopping the hub …"):
            stop_hub(home, hub)
    if as_json:
        print_json({"was_running": hub is not None, "pid": hub.info.pid if hub else None})
    elif hub is None:
        print_line("○ No hub was running.")
    else:
        print_line(SUCCESS, f" Stopped the hub (process {hub.info.pid}).")


def status_data(home: Path, hub: RunningHub | None) -> dict[str, object]:
    if hub is None:
        return {"running": False, "home": str(home)}
    return {
        "running": True,
        "status": hub.health.status,
        "home": str(home),
        "mcp_url": hub.mcp_url,
        "token_file": str(token_path(home)),
        "pid": hub.info.pid,
        "port": hub.info.port,
        "detached": hub.info.detached,
        "version": hub.health.version,
        "uptime_seconds": hub.health.uptime_seconds,
        "sessions": hub.health.sessions,
        "clients": [client.model_dump() for client in hub.clients],
        "browsers": [browser.model_dump() for browser in hub.health.browsers],
        "parts": {name: part.model_dump() for name, part in hub.health.parts.items()},
    }


def _show(home: Path, hub: RunningHub) -> None:
    health = hub.health
    print_line(RUNNING, f" Browser Pilot {health.version} listens at ", hub.mcp_url)
    rows = [
        ("Uptime", format_uptime(health.uptime_seconds)),
        ("Process", f"{hub.info.pid}{', started by a client' if hub.info.detached else ''}"),
        ("Token in", str(token_path(home))),
        ("Clients", ", ".join(f"{client.name} ({client.id})" for client in hub.clients) or "none"),
        ("Sessions", str(health.sessions)),
        ("Browsers", ", ".join(f"{browser.kind} {browser.version}" for browser in health.browsers) or "none yet"),
    ]
    rows += [
        (name.capitalize(), part.says)
        for name, part in health.parts.items()
        if name not in PARTS_WITH_OWN_ROWS and part.state == "ok"
    ]
    rows += [(name.capitalize(), f"off: {part.says}") for name, part in health.parts.items() if part.state == "off"]
    for label, value in rows:
        print_line(f"  {label:<9} ", value)
    for name, part in health.problems.items():
        print_line(FAILURE, f" {name.capitalize():<9} ", part.says)
    if health.version != __version__:
        print_line(
            WARNING, f" This command is version {__version__}. Run `browser-pilot stop` to use it from the next start."
        )


def format_uptime(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    shown = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(shown[:2]) or "0 s"
