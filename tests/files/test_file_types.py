"""What kind of file something is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.files.kinds import KNOWN, MAGIC_BYTES, RUNNABLE, kind_of, picture_mime, sniff

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.mark.parametrize(
    ("url", "mime", "beginning", "extension"),
    [
        ("https://a.test/logo.png", "", b"", "png"),
        ("https://a.test/logo.JPEG?size=2#x", "image/png", b"", "jpg"),
        ("https://a.test/report%2Epdf", "", b"", "pdf"),
        ("https://a.test/download", "application/pdf; charset=x", b"", "pdf"),
        ("https://a.test/image.php", "image/webp", b"", "webp"),
        ("https://a.test/get.aspx?file=x.exe", "", PNG, "png"),
        ("https://a.test/icons/example.com", "image/png", b"", "png"),
        ("https://a.test/release/v1.2", "application/zip", b"", "zip"),
        ("https://a.test/drawing.xyz", "", b"", "xyz"),
        ("https://a.test/drawing.xyz", "image/png", b"", "png"),
        ("https://a.test/thing", "application/octet-stream", PNG, "png"),
        ("https://a.test/thing", "text/html", PNG, "png"),
        ("https://a.test/thing", "text/plain; charset=utf-8", b"<!doctype html>", "txt"),
        ("https://a.test/thing", "nonsense", b"RIFF\0\0\0\0WEBP", "webp"),
        ("https://a.test/thing", "", b"\0\0\0\x18ftypisom", "mp4"),
        ("https://a.test/thing", "", b"<?xml version='1.0'?><svg>", "svg"),
        ("https://a.test/.htaccess", "", b"", "bin"),
        ("https://a.test/", "", b"who knows", "bin"),
        ("blob:https://a.test/0b5e.png", "audio/wav", b"", "wav"),
        ("data:image/gif;base64,R0lG", "image/gif", b"", "gif"),
        ("not a url", "", b"", "bin"),
    ],
)
def test_the_extension_is_found(url: str, mime: str, beginning: bytes, extension: str) -> None:
    assert kind_of(url=url, mime=mime, beginning=beginning).extension == extension


def test_the_servers_name_counts_before_its_type() -> None:
    kind = kind_of(url="https://a.test/get", mime="text/plain", beginning=b"", named="data.csv")
    assert (kind.extension, kind.mime) == ("csv", "text/plain")


@pytest.mark.parametrize(
    ("url", "mime", "beginning", "named"),
    [
        ("https://a.test/setup.exe", "", b"", ""),
        ("https://a.test/photo.png", "image/png", b"MZ\x90", ""),
        ("https://a.test/photo.png", "image/png", b"\x7fELF", ""),
        ("https://a.test/photo.png", "application/x-msdownload", b"", ""),
        ("https://a.test/photo.png", "", b"", "photo.png.scr"),
        ("https://a.test/install", "", b"#!/bin/sh\n", ""),
        ("https://a.test/app.jar", "application/zip", b"PK\x03\x04", ""),
        ("https://a.test/x", "application/vnd.android.package-archive", b"PK\x03\x04", ""),
    ],
)
def test_whatever_says_that_a_file_can_run_is_believed(url: str, mime: str, beginning: bytes, named: str) -> None:
    assert kind_of(url=url, mime=mime, beginning=beginning, named=named).runs in RUNNABLE


def test_pictures_and_documents_cannot_run() -> None:
    assert kind_of(url="https://a.test/a.pdf", mime="application/pdf", beginning=b"%PDF-1.7").runs == ""


def test_a_missing_type_is_told_from_the_content() -> None:
    assert kind_of(url="https://a.test/x", mime="", beginning=PNG).mime == "image/png"
    assert kind_of(url="https://a.test/x", mime="text/html", beginning=PNG).mime == "image/png"
    assert kind_of(url="https://a.test/x", mime="", beginning=b"?").mime == "application/octet-stream"


def test_a_picture_is_one_by_its_content_alone() -> None:
    assert picture_mime(PNG) == "image/png"
    assert picture_mime(b"MZ\x90") is None


@given(url=st.text(), mime=st.text(), beginning=st.binary(max_size=MAGIC_BYTES), named=st.text())
def test_anything_at_all_has_a_kind(url: str, mime: str, beginning: bytes, named: str) -> None:
    kind = kind_of(url=url, mime=mime, beginning=beginning, named=named)
    assert kind.extension.isalnum() or kind.extension in KNOWN
    assert kind.extension == kind.extension.lower()
    assert kind.mime


@given(st.binary(max_size=MAGIC_BYTES))
def test_what_a_file_begins_with_is_a_known_kind_or_none(beginning: bytes) -> None:
    assert sniff(beginning) in KNOWN | {""}
