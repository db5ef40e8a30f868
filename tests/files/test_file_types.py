"""File type detection."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.files.file_types import (
    EXECUTABLE_EXTENSIONS,
    KNOWN_EXTENSIONS,
    MAGIC_BYTES,
    detect_file_type,
    image_mime,
    sniff,
)

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
def test_the_extension_is_detected(url: str, mime: str, beginning: bytes, extension: str) -> None:
    assert detect_file_type(url=url, mime=mime, first_bytes=beginning).extension == extension


def test_the_servers_file_name_takes_precedence_over_its_mime_type() -> None:
    kind = detect_file_type(url="https://a.test/get", mime="text/plain", first_bytes=b"", server_name="data.csv")
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
def test_a_file_is_executable_when_any_source_says_so(url: str, mime: str, beginning: bytes, named: str) -> None:
    assert (
        detect_file_type(url=url, mime=mime, first_bytes=beginning, server_name=named).executable_as
        in EXECUTABLE_EXTENSIONS
    )


def test_images_and_documents_are_not_executable() -> None:
    assert (
        detect_file_type(url="https://a.test/a.pdf", mime="application/pdf", first_bytes=b"%PDF-1.7").executable_as
        == ""
    )


def test_a_missing_mime_type_is_detected_from_the_content() -> None:
    assert detect_file_type(url="https://a.test/x", mime="", first_bytes=PNG).mime == "image/png"
    assert detect_file_type(url="https://a.test/x", mime="text/html", first_bytes=PNG).mime == "image/png"
    assert detect_file_type(url="https://a.test/x", mime="", first_bytes=b"?").mime == "application/octet-stream"


def test_an_image_is_detected_by_its_content_alone() -> None:
    assert image_mime(PNG) == "image/png"
    assert image_mime(b"MZ\x90") is None


@given(url=st.text(), mime=st.text(), beginning=st.binary(max_size=MAGIC_BYTES), named=st.text())
def test_any_input_has_a_file_type(url: str, mime: str, beginning: bytes, named: str) -> None:
    kind = detect_file_type(url=url, mime=mime, first_bytes=beginning, server_name=named)
    assert kind.extension.isalnum() or kind.extension in KNOWN_EXTENSIONS
    assert kind.extension == kind.extension.lower()
    assert kind.mime


@given(st.binary(max_size=MAGIC_BYTES))
def test_sniffing_gives_a_known_extension_or_none(beginning: bytes) -> None:
    assert sniff(beginning) in KNOWN_EXTENSIONS | {""}
