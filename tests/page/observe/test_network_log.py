"""The network log has WebSockets, keeps bodies beyond a navigation, and leaves the browser's own requests out."""

from __future__ import annotations

import pytest

from browser_pilot.page.observe.network_log import NetworkLog, NetworkRequest, is_browser_internal
from browser_pilot.page.observe.response_bodies import decode
from browser_pilot.page.observe.websocket_log import MAX_FRAMES, WebSocketConnection
from browser_pilot.page.tab import Tab
from tests.page.actions.site import HttpRequest, Site
from tests.page.conftest import Show
from tests.waiting import eventually


def entry_of(log: NetworkLog, part: str) -> NetworkRequest:
    return next(entry for entry in log if isinstance(entry, NetworkRequest) and part in entry.url)


def finished(log: NetworkLog, part: str) -> bool:
    return any(part in entry.url and entry.duration_ms is not None for entry in log)


async def test_a_websocket_is_an_entry_with_its_newest_frames(show: Show, site: Site) -> None:
    async def echo(request: HttpRequest) -> None:
        await request.accept_socket()
        for _ in range(MAX_FRAMES):
            await request.socket_send(f"re: {await request.socket_receive()}")

    site.handle("ws", echo)
    tab = await show(
        f"""<script>const ws = new WebSocket(`ws://${{location.host}}/ws`); let n = 0;
        ws.onopen = () => ws.send('message ' + n);
        ws.onmessage = () => ++n < {MAX_FRAMES} && ws.send('message ' + n)</script>"""
    )

    def connection() -> WebSocketConnection | None:
        return next((entry for entry in tab.network if isinstance(entry, WebSocketConnection)), None)

    await eventually(lambda: (found := connection()) and found.duration_ms is not None, "the socket is closed")
    found = connection()
    assert found is not None and found.url.endswith("/ws") and found.type == "websocket"
    assert (found.sent, found.received, found.frames_dropped) == (MAX_FRAMES, MAX_FRAMES, MAX_FRAMES)
    assert found.state == f"closed: {MAX_FRAMES} sent {MAX_FRAMES} received"
    assert [(frame.direction, frame.text) for frame in list(found.frames)[-2:]] == [
        ("sent", f"message {MAX_FRAMES - 1}"),
        ("received", f"re: message {MAX_FRAMES - 1}"),
    ]


async def test_the_body_of_an_api_response_outlives_its_document(show: Show, site: Site) -> None:
    async def answer(request: HttpRequest) -> None:
        await request.respond('{"name": "Ada"}', kind="application/json")

    site.handle("api/user", answer)
    tab = await show("<script>fetch('/api/user').then(r => r.text())</script>")
    await eventually(lambda: finished(tab.network, "/api/user"), "the response is here")
    entry = entry_of(tab.network, "/api/user")
    await eventually(lambda: tab.network.has_body(entry), "its body is kept")
    await tab.page.goto(site.add("next", "<p>Next", host="b"))
    known = await tab.network.read_details(entry)
    assert known.response_body is not None and known.response_body.text == '{"name": "Ada"}'


async def test_a_body_that_is_gone_or_binary_is_reported_as_missing_with_the_reason(show: Show, site: Site) -> None:
    async def style(request: HttpRequest) -> None:
        await request.respond("p { color: red }", kind="text/css")

    async def binary(request: HttpRequest) -> None:
        await request.respond(b"\xff\xfe\x00\x01", kind="application/octet-stream")

    site.handle("style.css", style)
    site.handle("blob", binary)
    tab = await show("<link rel=stylesheet href=/style.css><script>fetch('/blob').then(r => r.arrayBuffer())</script>")
    await eventually(lambda: finished(tab.network, "/style.css") and finished(tab.network, "/blob"), "both are here")
    binary_body = (await tab.network.read_details(entry_of(tab.network, "/blob"))).response_body
    assert binary_body is not None and binary_body.missing == "binary, 4 bytes"
    await tab.page.goto(site.add("next", "<p>Next", host="b"))
    style_body = (await tab.network.read_details(entry_of(tab.network, "/style.css"))).response_body
    assert style_body is not None and style_body.missing.startswith("no longer available")


@pytest.mark.parametrize("with_file", [False, True])
async def test_a_multipart_body_of_a_request_is_recorded_or_reported_as_missing(
    show: Show, site: Site, with_file: bool
) -> None:
    async def accept(request: HttpRequest) -> None:
        await request.reader.readexactly(int(request.headers["content-length"]))
        await request.respond("ok", kind="text/plain")

    site.handle("upload", accept)
    file = "form.append('file', new File([new Uint8Array([255, 254, 0])], 'a.bin'))" if with_file else ""
    tab = await show(
        f"""<script>const form = new FormData(); form.append('title', 'Holiday'); {file};
        fetch('/upload', {{method: 'POST', body: form}}).then(r => r.text())</script>"""
    )
    await eventually(lambda: finished(tab.network, "/upload"), "it was sent")
    body = (await tab.network.read_details(entry_of(tab.network, "/upload"))).request_body
    assert body is not None
    if with_file:
        assert body.text is None and "not reported by the browser" in body.missing
    else:
        assert body.text is not None and "Holiday" in body.text


def test_of_a_multipart_body_only_the_binary_parts_are_left_out() -> None:
    parts = (b'name="title"\r\n\r\nHoliday', b'name="file"; filename="a.bin"\r\n\r\n\xff\xfe\x00')
    body = b"".join(b"--edge\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--edge--\r\n"
    text = decode(body).text
    assert text is not None and text.startswith("--edge\r\n") and text.endswith("--edge--\r\n")
    assert "\r\n\r\nHoliday\r\n" in text and 'filename="a.bin"\r\n\r\n(binary, 3 bytes)\r\n' in text


async def test_requests_of_the_browsers_pdf_viewer_are_left_out(tab: Tab, site: Site) -> None:
    async def document(request: HttpRequest) -> None:
        await request.respond(PDF, kind="application/pdf")

    await tab.page.goto(site.add("pdfs", "<p>Report<iframe src=/report.pdf></iframe>", host="c"))
    site.handle("report.pdf", document)
    await tab.page.reload()
    internal: list[str] = []
    tab.page.on("request", lambda request: internal.append(request.url) if is_browser_internal(request.url) else None)
    await tab.page.reload()
    await eventually(lambda: internal, "the viewer loads its own files")
    assert not [entry.url for entry in tab.network if not entry.url.startswith("http")]
    assert not [name for name in tab.tracker.loading() if "chrome" in name]


PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>"""
