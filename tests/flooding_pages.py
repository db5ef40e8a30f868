"""Pages that flood their browser, and a quiet one for another client."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

QUIET = "<title>Quiet</title><h1>Quiet</h1><button onclick='this.textContent = 1 + Number(this.textContent)'>1</button>"
FLOODS = {
    "console": "setInterval(() => { for (let i = 0; i < 2000; i++) console.log('x'.repeat(2000) + i) }, 10)",
    "requests": "setInterval(() => { for (let i = 0; i < 100; i++) fetch('/none?' + i).catch(() => {}) }, 10)",
    "websockets": "setInterval(() => { for (let i = 0; i < 50; i++) new WebSocket(`ws://${location.host}/none`) }, 10)",
    "history": "setInterval(() => { for (let i = 0; i < 200; i++) history.pushState({}, '', '?' + i) }, 10)",
    "reload": "setInterval(() => location.reload()); onbeforeunload = () => location.reload()",
    "popups": "setInterval(() => { for (let i = 0; i < 5; i++) open('about:blank') }, 50)",
    "dialogs": "setInterval(() => alert('Hi'))",
    "downloads": """setInterval(() => { const a = document.createElement('a'); a.download = 'f.txt';
      a.href = URL.createObjectURL(new Blob(['x'])); a.click() }, 20)""",
}


def flooding_pages() -> dict[str, str | Callable[[BaseHTTPRequestHandler], None]]:
    """The pages by path."""
    return {
        f"/{name}": f"<title>{name}</title><p>Flood</p><script>{script}</script>" for name, script in FLOODS.items()
    }
