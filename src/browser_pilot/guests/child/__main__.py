"""A guest's process: takes its orders from the first line of its input, gives up every right, then runs the guest.

``python -I -S PATH/child SITE-PACKAGES…``: isolated from the environment and the user's site, with the folders to
import from as arguments. ``run`` runs a guest until the hub hangs up or a limit ends it; ``compile`` turns a module
into what ``run`` loads, under the same locks, because it too works on what a stranger wrote.
"""

from __future__ import annotations

import binascii
import os
import sys
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = sys.argv[1:]

from browser_pilot.guests.child import seccomp
from browser_pilot.guests.child.channel import Channel, HubGone, LimitExceeded
from browser_pilot.guests.child.limits import apply_limits

_COMPILE_BYTES = 2 << 30


def main() -> None:
    channel = Channel()
    orders = channel.receive()
    assert orders is not None  # noqa: S101  there was no time limit
    try:
        if orders["type"] == "compile":
            _compile(channel, orders)
        else:
            _run(channel, orders)
            channel.send({"type": "end", "what": "exit", "message": "it ended by itself"})
    except LimitExceeded as error:
        channel.send({"type": "end", "what": error.what, "message": str(error)[:2000]})
    except MemoryError:
        channel.send({"type": "end", "what": "memory", "message": "it has no memory left"})
    except HubGone:
        pass
    except Exception as error:  # noqa: BLE001  nothing else could tell: there is no way to write to stderr any more
        channel.send({"type": "end", "what": "bug", "message": f"{type(error).__name__}: {error}"[:2000]})
    os._exit(0)


def _run(channel: Channel, orders: dict[str, Any]) -> None:
    from wasmtime import Module

    from browser_pilot.guests.child.engine import make_engine
    from browser_pilot.guests.child.meter import Meter

    channel.limit(
        output_bytes=orders["output_bytes"], log_bytes=orders["log_bytes"], host_requests=orders["host_requests"]
    )
    engine = make_engine()
    module = Module.deserialize_file(engine, orders["module"])
    meter = Meter(engine.increment_epoch, budget_seconds=orders["cpu_seconds"])
    memory_bytes: int = orders["memory_bytes"]
    environment: dict[str, str] = orders["environment"]
    if orders["kind"] == "js":
        from browser_pilot.guests.child.javascript import PRELUDE, JavaScriptGuest

        prelude = PRELUDE.read_text(encoding="utf-8")
        guest = JavaScriptGuest(engine, module, channel, meter)
        _lock(2 * memory_bytes + (128 << 20))
        channel.send({"type": "ready"})
        guest.run(orders["script"], prelude=prelude, memory_bytes=memory_bytes, environment=environment)
    else:
        from browser_pilot.guests.child.wasm import WasmGuest

        wasm = WasmGuest(engine, module, channel, meter)
        _lock(2 * memory_bytes + (128 << 20))
        channel.send({"type": "ready"})
        wasm.run(memory_bytes=memory_bytes, environment=environment)


def _compile(channel: Channel, orders: dict[str, Any]) -> None:
    from wasmtime import WasmtimeError

    from browser_pilot.guests.child.engine import compile_module

    code = binascii.a2b_base64(orders["code"])
    _lock(_COMPILE_BYTES, may_make_code=True)
    try:
        compiled = compile_module(code)
    except WasmtimeError as error:
        raise LimitExceeded("error", str(error).splitlines()[0]) from None
    channel.send({"type": "compiled", "module": binascii.b2a_base64(compiled, newline=False).decode("ascii")})


def _lock(memory_bytes: int, *, may_make_code: bool = False) -> None:
    # The module's file is mapped by now.
    os.closerange(3, 256)
    apply_limits(memory_bytes=memory_bytes)
    if seccomp.is_supported():
        seccomp.lock_down(may_make_code=may_make_code)


if __name__ == "__main__":
    main()
