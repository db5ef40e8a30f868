"""A company's network: a real Squid with credentials that alone knows the names of public hosts."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import wait_until

SQUID = shutil.which("squid", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
LOGIN_PROGRAM = Path("/usr/lib/squid/basic_ncsa_auth")
USER, PASSWORD = "ada", "s3cret-of-ada"
# As Squid's own default: tunnels to TLS ports only.
CONFIGURATION = """
http_port 127.0.0.1:{port}
hosts_file {folder}/hosts
dns_nameservers 127.0.0.1
dns_timeout 1 seconds
acl tls_ports port 443 {tls_port}
acl CONNECT method CONNECT
http_access deny CONNECT !tls_ports
auth_param basic program {login_program} {folder}/passwords
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
cache deny all
pid_filename none
access_log stdio:{folder}/access.log
cache_log {folder}/cache.log
coredump_dir {folder}
shutdown_lifetime 0 seconds
"""


@dataclass(frozen=True)
class CompanyProxy:
    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    def requests(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


@contextmanager
def company_proxy(hosts: Iterable[str], *, tls_port: int) -> Generator[CompanyProxy]:
    """The hosts lead to this machine, for the proxy alone."""
    assert SQUID is not None
    with tempfile.TemporaryDirectory(prefix="squid") as name:
        folder = Path(name)
        # Squid runs as another user than root.
        folder.chmod(0o777)
        (folder / "hosts").write_text("".join(f"127.0.0.1 {host}\n" for host in hosts))
        password = subprocess.run(
            ["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True
        ).stdout
        (folder / "passwords").write_text(f"{USER}:{password}")
        port = _free_port()
        text = CONFIGURATION.format(port=port, folder=folder, tls_port=tls_port, login_program=LOGIN_PROGRAM)
        (folder / "squid.conf").write_text(text)
        process = subprocess.Popen(
            [SQUID, "-N", "-f", str(folder / "squid.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            wait_until(lambda: _listens(port, process), f"Squid listens at {port}")
            yield CompanyProxy(port, folder / "access.log")
        finally:
            process.terminate()
            process.wait(20)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _listens(port: int, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "Squid has ended"
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
