"""File type detection: extension, MIME type, and whether the file is executable. Pure.

The extension comes from the URL, else from the server's file name, else from the MIME type, else from the first bytes
(magic numbers). A file is executable when any of them says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from ada_url import URL

UNKNOWN_EXTENSION = "bin"
OPAQUE_MIMES = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-download"})
# As many bytes as `sniff` uses.
MAGIC_BYTES = 512

_MIMES: dict[str, str] = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/svg+xml": "svg",
    "image/bmp": "bmp",
    "image/tiff": "tiff",
    "image/x-icon": "ico",
    "image/vnd.microsoft.icon": "ico",
    "image/heic": "heic",
    "image/jxl": "jxl",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/ogg": "ogv",
    "video/quicktime": "mov",
    "video/x-msvideo": "avi",
    "video/x-matroska": "mkv",
    "video/mpeg": "mpg",
    "video/mp2t": "ts",
    "application/vnd.apple.mpegurl": "m3u8",
    "application/dash+xml": "mpd",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/aac": "aac",
    "audio/ogg": "ogg",
    "audio/opus": "opus",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/webm": "weba",
    "audio/flac": "flac",
    "audio/midi": "mid",
    "application/pdf": "pdf",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.ms-word.document.macroenabled.12": "docm",
    "application/vnd.ms-excel.sheet.macroenabled.12": "xlsm",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/zip": "zip",
    "application/x-zip-compressed": "zip",
    "application/gzip": "gz",
    "application/x-gzip": "gz",
    "application/x-bzip2": "bz2",
    "application/x-xz": "xz",
    "application/zstd": "zst",
    "application/x-tar": "tar",
    "application/x-7z-compressed": "7z",
    "application/vnd.rar": "rar",
    "application/x-rar-compressed": "rar",
    "application/json": "json",
    "application/ld+json": "jsonld",
    "application/geo+json": "geojson",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/xhtml+xml": "xhtml",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "application/wasm": "wasm",
    "application/sql": "sql",
    "application/yaml": "yaml",
    "application/toml": "toml",
    "text/plain": "txt",
    "text/html": "html",
    "text/css": "css",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/markdown": "md",
    "text/calendar": "ics",
    "text/vcard": "vcf",
    "text/vtt": "vtt",
    "text/yaml": "yaml",
    "message/rfc822": "eml",
    "font/woff": "woff",
    "font/woff2": "woff2",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "text/javascript": "js",
    "application/javascript": "js",
    "application/x-javascript": "js",
    "application/x-msdownload": "exe",
    "application/vnd.microsoft.portable-executable": "exe",
    "application/x-msdos-program": "exe",
    "application/x-dosexec": "exe",
    "application/x-msi": "msi",
    "application/x-ms-installer": "msi",
    "application/x-sh": "sh",
    "application/x-shellscript": "sh",
    "text/x-shellscript": "sh",
    "text/x-sh": "sh",
    "application/x-csh": "csh",
    "text/x-python": "py",
    "application/x-python-code": "pyc",
    "application/x-perl": "pl",
    "application/java-archive": "jar",
    "application/x-java-archive": "jar",
    "application/x-java-jnlp-file": "jnlp",
    "application/vnd.android.package-archive": "apk",
    "application/x-apple-diskimage": "dmg",
    "application/x-debian-package": "deb",
    "application/vnd.debian.binary-package": "deb",
    "application/x-rpm": "rpm",
    "application/x-redhat-package-manager": "rpm",
    "application/hta": "hta",
    "application/x-ms-shortcut": "lnk",
    "application/x-ms-application": "application",
    "application/x-executable": "elf",
    "application/x-elf": "elf",
    "application/x-sharedlib": "so",
    "application/x-mach-binary": "macho",
    "application/x-desktop": "desktop",
    "application/x-chrome-extension": "crx",
    "application/x-xpinstall": "xpi",
}
_EXTENSION_MIMES = {extension: mime for mime, extension in reversed(_MIMES.items())}
_ALIASES = {"jpeg": "jpg", "jpe": "jpg", "htm": "html", "tif": "tiff", "yml": "yaml", "mpeg": "mpg", "text": "txt"}

# What a system may execute on open: programs, installers, scripts, shortcuts, documents with macros.
EXECUTABLE_EXTENSIONS = frozenset(
    "exe com scr pif cpl msi msix msp mst appx appxbundle msixbundle application gadget dll ocx sys drv "
    "bat cmd ps1 ps1xml psm1 psd1 psc1 vb vbs vbe js jse mjs ws wsf wsc wsh hta sct shb shs scf inf reg rgs lnk url "
    "website settingcontent-ms library-ms search-ms appref-ms xbap chm hlp msc job "
    "sh bash zsh csh ksh fish command tool run py pyc pyo pyw pyz pl rb php lua tcl awk "
    "jar jnlp class apk aab ipa xapk dmg pkg mpkg app scpt scptd applescript action workflow webloc inetloc fileloc "
    "deb rpm snap flatpak flatpakref appimage elf macho so dylib ko desktop service crx xpi vsix "
    "docm dotm xlsm xlsb xlam xltm pptm potm ppam ppsm sldm iqy slk ade adp mde xll".split()
)
# In a URL, the extension of a server-side script or part of a host name, not of the file.
_SCRIPT_EXTENSIONS = frozenset(
    "php php3 php4 php5 phtml asp aspx ashx asmx axd jsp jspx cgi fcgi pl cfm do action com".split()
)
_OTHER_EXTENSIONS = frozenset(
    "log ini cfg conf srt psd ai eps iso img tgz tbz txz lz lz4 dat db sqlite parquet ipynb c h cpp hpp rs go java kt "
    "swift ts tsx jsx scss less vue gpx kml kmz stl obj step dwg dxf mobi azw3 cbz cbr torrent p7s asc sig pem crt "
    "doc pot pps odg tex bib rst adoc map xsl xsd dtd flv wmv m4v m4b 3gp aif aiff wma amr ico cur".split()
)
KNOWN_EXTENSIONS = (
    frozenset(_EXTENSION_MIMES) | EXECUTABLE_EXTENSIONS | _OTHER_EXTENSIONS | frozenset(_ALIASES) | {UNKNOWN_EXTENSION}
)
# The extension of a proposed name is used when the detected one is this unspecific.
_UNSPECIFIC: dict[str, frozenset[str] | None] = {
    UNKNOWN_EXTENSION: None,
    "txt": None,
    "xml": None,
    "zip": frozenset("docx xlsx pptx odt ods odp epub kmz cbz".split()),
    "gz": frozenset({"tgz"}),
}
_TEXT_EXTENSIONS = frozenset({"html", "svg", "xml", "sh"})
_EXTENSION = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}")
_PLAUSIBLE = re.compile(r"[a-z][a-z0-9]{0,7}")

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpg"),
    (0, b"GIF87a", "gif"),
    (0, b"GIF89a", "gif"),
    (0, b"BM", "bmp"),
    (0, b"II*\x00", "tiff"),
    (0, b"MM\x00*", "tiff"),
    (0, b"\x00\x00\x01\x00", "ico"),
    (0, b"%PDF-", "pdf"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"\x1f\x8b", "gz"),
    (0, b"BZh", "bz2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zst"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "rar"),
    (257, b"ustar", "tar"),
    (0, b"ID3", "mp3"),
    (0, b"\xff\xfb", "mp3"),
    (0, b"fLaC", "flac"),
    (0, b"OggS", "ogg"),
    (0, b"\x1aE\xdf\xa3", "webm"),
    (0, b"\x00asm", "wasm"),
    (0, b"wOFF", "woff"),
    (0, b"wOF2", "woff2"),
    (0, b"{\\rtf", "rtf"),
    (0, b"SQLite format 3\x00", "sqlite"),
    (0, b"MZ", "exe"),
    (0, b"\x7fELF", "elf"),
    (0, b"\xfe\xed\xfa\xce", "macho"),
    (0, b"\xfe\xed\xfa\xcf", "macho"),
    (0, b"\xce\xfa\xed\xfe", "macho"),
    (0, b"\xcf\xfa\xed\xfe", "macho"),
    (0, b"\xca\xfe\xba\xbe", "class"),
    (0, b"#!", "sh"),
    (0, b"L\x00\x00\x00\x01\x14\x02\x00", "lnk"),
    (0, b"!<arch>\ndebian", "deb"),
    (0, b"\xed\xab\xee\xdb", "rpm"),
    (0, b"Cr24", "crx"),
)
_RIFF = {b"WEBP": "webp", b"WAVE": "wav", b"AVI ": "avi"}
_BRANDS = {b"avif": "avif", b"avis": "avif", b"heic": "heic", b"heix": "heic", b"qt  ": "mov", b"M4A ": "m4a"}


@dataclass(frozen=True, slots=True)
class FileType:
    """``executable_as`` is the extension that makes it executable; empty when it is not."""

    extension: str
    mime: str
    executable_as: str = ""


def detect_file_type(*, url: str, mime: str, first_bytes: bytes, server_name: str = "") -> FileType:
    """The type of a file, from its URL, the server's MIME type and file name, and its first bytes."""
    declared = mime.partition(";")[0].strip().lower()
    content = sniff(first_bytes)
    by_url, by_name = extension_of_url(url), extension_of_name(server_name)
    # Servers send any file as text; trust the content when it is not.
    mislabeled = declared.startswith("text/") and bool(content) and content not in _TEXT_EXTENSIONS
    by_mime = "" if declared in OPAQUE_MIMES or mislabeled else _MIMES.get(declared, "")
    extension = by_url or by_name or by_mime or content or _plausible_extension(url) or UNKNOWN_EXTENSION
    actual_mime = (
        declared
        if declared not in OPAQUE_MIMES and not mislabeled
        else _EXTENSION_MIMES.get(content or extension, "application/octet-stream")
    )
    executable_as = next((one for one in (extension, by_name, by_mime, content) if one in EXECUTABLE_EXTENSIONS), "")
    return FileType(extension, actual_mime, executable_as)


def extension_of_url(url: str) -> str:
    """The extension of the path, unless it is that of a server-side script."""
    extension = extension_of_name(_last_segment(url))
    return "" if extension in _SCRIPT_EXTENSIONS else extension


def _plausible_extension(url: str) -> str:
    """The extension of the path when it is unknown but plausible."""
    extension = _last_segment(url).rpartition(".")[2].lower() if "." in _last_segment(url)[1:] else ""
    return extension if _PLAUSIBLE.fullmatch(extension) and extension not in _SCRIPT_EXTENSIONS else ""


def _last_segment(url: str) -> str:
    try:
        path = unquote(URL(url).pathname) if url.partition(":")[0].lower() in ("http", "https") else ""
    except ValueError:
        return ""
    return path.rpartition("/")[2]


def extension_of_name(name: str) -> str:
    """The extension of a file name, in lower case and normalized; empty when it has none."""
    stem, dot, last = name.rstrip(". ").rpartition(".")
    extension = last.lower()
    if not dot or not stem.strip(". ") or not _EXTENSION.fullmatch(extension):
        return ""
    # "v1.2" and "example.com" have no file extension.
    return _ALIASES.get(extension, extension) if extension in KNOWN_EXTENSIONS else ""


def sniff(first_bytes: bytes) -> str:
    """The extension for content with these first bytes; empty when unknown."""
    if first_bytes[:4] == b"RIFF":
        return _RIFF.get(first_bytes[8:12], "")
    if first_bytes[4:8] == b"ftyp":
        return _BRANDS.get(first_bytes[8:12], "mp4")
    if first_bytes[:4] == b"OggS" and b"OpusHead" in first_bytes[:64]:
        return "opus"
    for offset, magic, extension in _MAGIC:
        if first_bytes[offset : offset + len(magic)] == magic:
            return extension
    text = first_bytes.lstrip(b"\xef\xbb\xbf \t\r\n")[:256].lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return "html"
    if text.startswith(b"<svg") or (text.startswith(b"<?xml") and b"<svg" in text):
        return "svg"
    return "xml" if text.startswith(b"<?xml") else ""


def image_mime(first_bytes: bytes) -> str | None:
    """The MIME type of an image that a client can show, by its content alone."""
    extension = sniff(first_bytes)
    return _EXTENSION_MIMES[extension] if extension in ("png", "jpg", "gif", "webp") else None


def is_more_specific(decided: str, proposed: str) -> bool:
    """Whether a proposed extension is more specific than the detected one, and compatible with it."""
    if decided not in _UNSPECIFIC or not proposed or proposed in EXECUTABLE_EXTENSIONS:
        return False
    compatible = _UNSPECIFIC[decided]
    return compatible is None or proposed in compatible
