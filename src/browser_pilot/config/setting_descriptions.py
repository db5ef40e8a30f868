"""What each setting does, for the reference and the JSON schema. A test checks that every setting is described."""

from __future__ import annotations

from typing import NamedTuple


class Description(NamedTuple):
    """``example`` is a value in TOML; without one the default is the example."""

    text: str
    example: str = ""


DESCRIPTIONS: dict[str, Description] = {
    "hub.host": Description("The address to listen on. Use a loopback address, except in a container."),
    "hub.port": Description("The port. If you set it and it is taken, the hub does not start; 0 chooses a free one."),
    "hub.idle_minutes": Description("A hub that a client started ends after this time without clients."),
    "hub.allowed_hosts": Description("Further Host headers that the hub accepts.", '["pilot.internal:8777"]'),
    "hub.redis_url": Description(
        "Redis through which several hubs share limits and profiles.", '"redis://redis.internal:6379/0"'
    ),
    "hub.redis_key": Description("Encrypts the profiles in Redis; the same on every hub.", '"a long text"'),
    "browser.engine": Description(
        "Where browsers come from: launched by the hub, your own Chrome, a CDP endpoint, or a Selenium Grid."
    ),
    "browser.own_browser": Description("The name of one of several paired browsers.", '"Work"'),
    "browser.own_idle_minutes": Description(
        "In your own Chrome: Browser Pilot detaches from a tab after this time without a call."
    ),
    "browser.executable": Description("A path, or chrome, chromium, edge, playwright.", '"chrome"'),
    "browser.headless": Description("false shows the browser's windows."),
    "browser.args": Description(
        "Further switches of the browser. Those that bypass the proxy are refused.", '["--lang=de"]'
    ),
    "browser.viewport": Description("The size of pages in CSS pixels."),
    "browser.user_data_dir": Description("A persistent profile of the managed browser.", '"/home/ann/pilot-profile"'),
    "browser.cdp_url": Description("The endpoint of the engine cdp.", '"http://browsers.internal:9222"'),
    "browser.grid_url": Description("The address of the engine grid.", '"http://grid.internal:4444"'),
    "browser.launch_timeout_ms": Description("How long the start of a browser may take, also in a Grid's queue."),
    "tools.profile": Description(
        "The tools of a client: a profile, tool names, -name to remove one.", '"standard,-browser_upload"'
    ),
    "tools.format": Description("The format of results."),
    "tools.max_tokens": Description("The token limit of one result; the rest is behind a cursor."),
    "tools.timeout_ms": Description("How long one call may take, unless it says otherwise."),
    "policy.template": Description("Values for the other policy settings, where you set none."),
    "policy.mode": Description("What agents may do in managed browsers."),
    "policy.own_mode": Description("What agents may do in your own Chrome."),
    "policy.uncovered": Description("Decides about sites without a rule."),
    "policy.ask_from.own": Description(
        "In your own Chrome: the lowest risk of a sensitive action that needs approval."
    ),
    "policy.ask_from.managed": Description("The same in managed browsers."),
    "policy.ask_from.loopback": Description("The same on sites of this machine."),
    "policy.step_budget": Description("Actions of one client in total, over all sites; without it unlimited.", "500"),
    "policy.rate_per_minute": Description("Calls of one tool per client and minute."),
    "policy.sensitive_patterns": Description(
        "Further words of sensitive actions, as regular expressions.", '["wire transfer"]'
    ),
    "policy.approval_timeout_s": Description("How long an approval request waits for a person."),
    "policy.subresources.uncovered": Description(
        "What pages may load from hosts without a rule: as the rules for sites say, everything, or nothing."
    ),
    "policy.subresources.allow": Description("Hosts from which pages may load.", '["*.cdn.example"]'),
    "policy.subresources.deny": Description("Hosts from which pages may not load.", '["*.tracker.example"]'),
    "policy.domains": Description(
        'Rules by site: read, write (true, false or "ask"), requires_approval, ask_from, max_steps_per_hour, mode.',
        '{"*.example.com" = {read = true, write = "ask"}}',
    ),
    "sessions.max": Description("The number of sessions of all clients together."),
    "sessions.idle_minutes": Description("A session without calls is closed after this time."),
    "sessions.memory_mb": Description(
        "The memory of all managed browsers; beyond it, the largest idle session sleeps."
    ),
    "sessions.per_browser": Description("The number of sessions that share one browser process."),
    "sessions.warm": Description("Keeps a browser ready for the next session."),
    "network.proxy": Description(
        'The proxy of managed browsers and guests: "env" (HTTPS_PROXY and others), "none", or a URL.',
        '"http://proxy.example.com:3128"',
    ),
    "network.no_proxy": Description(
        "Hosts, domains, addresses and networks that are connected to directly.", '["*.internal"]'
    ),
    "files.screenshot_dir": Description("The folder of screenshots; a relative one is in the home."),
    "files.download_dir": Description("The folder of downloads; a relative one is in the home."),
    "files.trace_dir": Description("The folder of traces; a relative one is in the home."),
    "files.upload_dirs": Description(
        "Files in these folders are uploaded without approval; by default downloads, screenshots and uploads.",
        '["~/Documents/for-agents"]',
    ),
    "files.max_download_mb": Description("The largest download."),
    "files.max_total_mb": Description("Of all files together; beyond it, the oldest are removed."),
    "files.keep_days": Description("Files are removed after this time."),
    "guests.memory_mb": Description("The memory of one guest."),
    "guests.cpu_seconds": Description("Computing time of one call."),
    "guests.call_seconds": Description("The time of one call, without the time that it waits for the host."),
    "guests.output_kb": Description("The largest result of one call."),
    "guests.log_kb": Description("The output of a guest that is kept."),
    "guests.host_requests": Description("Requests of one call to the host, such as reading a page."),
    "guests.idle_minutes": Description("A guest without calls is stopped after this time."),
    "guests.max_running": Description("Guests that run at the same time."),
    "guests.keep_ready": Description("Keeps a process ready for the next guest that starts."),
    "guests.browser": Description(
        "The browser that guests read pages with; auto is your own Chrome if it is connected."
    ),
    "logging.level": Description("What the log file contains."),
    "logging.max_size_mb": Description("A log file of this size is rotated."),
    "logging.retention_days": Description("Log files and audit entries are kept for this time."),
    "redaction.email": Description("Redacts e-mail addresses too."),
    "redaction.phone": Description("Redacts phone numbers too."),
}
