"""Width and height of a PNG, JPEG or WebP image, from its header. Pure."""

from __future__ import annotations

import struct

_JPEG_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
_JPEG_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xDA)})


def image_size(data: bytes) -> tuple[int, int]:
    """In pixels; (0, 0) for what is none of these."""
    try:
        if data.startswith(b"\x89PNG"):
            width, height = struct.unpack(">II", data[16:24])
            return int(width), int(height)
        if data.startswith(b"\xff\xd8"):
            return _jpeg_size(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
    except (struct.error, IndexError):
        pass
    return 0, 0


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return int(width), int(height)
        at += 2 if marker in _JPEG_WITHOUT_LENGTH else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", data[26:30])
    return int(width) & 0x3FFF, int(height) & 0x3FFF
