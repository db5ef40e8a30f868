"""File names: safe whatever is proposed."""

from __future__ import annotations

import itertools
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.files.file_types import KNOWN_EXTENSIONS
from browser_pilot.files.filenames import MAX_FILENAME_BYTES, TimestampNames, filename_candidates, safe_filename

from .hostile_filenames import HOSTILE_NAMES

DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def assert_safe(name: str, extension: str) -> None:
    assert name.endswith(f".{extension}")
    assert len(name.encode()) <= MAX_FILENAME_BYTES + 1
    assert not set(name) & set('/\\:*?"<>|$`;&%~\0\r\n')
    assert all(unicodedata.category(character)[0] != "C" for character in name)
    assert not name.startswith((".", "-", " ")) and not name.endswith((".", " "))
    assert not DEVICE.fullmatch(name)
    inner = [part.strip().lower() for part in name.split(".")[1:-1]]
    assert not set(inner) & KNOWN_EXTENSIONS


def test_there_are_a_hundred_hostile_names() -> None:
    assert len(set(HOSTILE_NAMES)) >= 100


@pytest.mark.parametrize("proposed", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_a_hostile_name_becomes_a_harmless_one(proposed: str) -> None:
    name = safe_filename(proposed, "png")
    if name is not None:
        assert_safe(name, "png")


@given(st.text(max_size=400), st.sampled_from(["png", "pdf", "exe"]))
def test_any_name_becomes_a_harmless_one(proposed: str, extension: str) -> None:
    name = safe_filename(proposed, extension)
    if name is not None:
        assert_safe(name, extension)
        assert safe_filename(name, extension) == name


@pytest.mark.parametrize(
    ("proposed", "extension", "name"),
    [
        ("Quarterly report.pdf", "pdf", "Quarterly report.pdf"),
        ("Rechnung März.PDF", "pdf", "Rechnung März.pdf"),
        ("写真.jpeg", "jpg", "写真.jpg"),
        ("logo", "png", "logo.png"),
        ("report v1.2", "pdf", "report v1.2.pdf"),
        ("photo.png", "jpg", "photo.jpg"),
        ("data.csv", "txt", "data.csv"),
        ("data.csv", "bin", "data.csv"),
        ("book.epub", "zip", "book.epub"),
        ("harmless.txt", "exe", "harmless.exe"),
        ("run.exe", "txt", "run.txt"),
        ("invoice.pdf.exe", "exe", "invoice_pdf.exe"),
        ("../../etc/passwd", "txt", "passwd.txt"),
        ("con.txt", "txt", "file con.txt"),
        ("...", "txt", None),
    ],
)
def test_a_proposed_name_is_kept_as_far_as_it_is_safe_and_true(proposed: str, extension: str, name: str | None) -> None:
    assert safe_filename(proposed, extension) == name


def test_an_existing_name_is_numbered() -> None:
    assert list(itertools.islice(filename_candidates("a b.pdf"), 3)) == ["a b.pdf", "a b (1).pdf", "a b (2).pdf"]


@given(st.lists(st.integers(min_value=10**12, max_value=10**13 - 10**4), min_size=1, max_size=200))
def test_timestamp_names_have_thirteen_digits_and_are_unique(times: list[int]) -> None:
    clock = iter(times)
    stamps = TimestampNames(lambda: next(clock))
    made = [stamps.next() for _ in times]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"\d{13}", stamp) for stamp in made)
    assert made == sorted(made)
