"""Which local files may be uploaded: freely, with approval, or never."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser_pilot.errors import FileDenied, InvalidArgument
from browser_pilot.files import upload_paths
from browser_pilot.files.upload_paths import LocalFile, UploadPaths


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in a hidden folder, as on Linux."""
    return tmp_path / ".local" / "browser-pilot"


@pytest.fixture
def paths(home: Path, tmp_path: Path) -> UploadPaths:
    return UploadPaths(home, (home / "uploads", home / "downloads"), (tmp_path / "profile",))


def file(path: Path, content: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def check(paths: UploadPaths, path: Path | str) -> LocalFile:
    (checked,) = paths.check([str(path)])
    return checked


def test_a_file_in_an_upload_folder_is_free(paths: UploadPaths, home: Path) -> None:
    for name in ("uploads", "downloads"):
        path = file(home / name / "deep" / "photo.png")
        assert check(paths, path) == LocalFile(path, free=True)


def test_any_other_file_requires_approval(paths: UploadPaths, tmp_path: Path) -> None:
    path = file(tmp_path / "documents" / "report.pdf")
    assert check(paths, path) == LocalFile(path, free=False)


@pytest.mark.parametrize(
    "name",
    [
        ".local/browser-pilot/token",
        ".local/browser-pilot/secrets.key",
        ".local/browser-pilot/uploads/.hidden",
        ".local/browser-pilot/uploads/.git/config",
        ".ssh/id_rsa",
        "project/.env",
        "Library/Keychains/login.keychain-db",
        "Chrome/User Data/Default/History",
        "profile/Default/History",
        "vault.kdbx",
    ],
)
def test_protected_files_are_never_uploaded(paths: UploadPaths, tmp_path: Path, name: str) -> None:
    with pytest.raises(FileDenied):
        check(paths, file(tmp_path / name))


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/dev/stdin", "/sys/kernel/notes"])
@pytest.mark.skipif(os.name == "nt", reason="paths of Linux")
def test_system_files_are_never_uploaded(paths: UploadPaths, path: str) -> None:
    with pytest.raises(FileDenied):
        check(paths, path)


@pytest.mark.parametrize("mark", ["Local State", "Login Data", "key4.db", "cookies.sqlite"])
def test_a_browser_profile_is_recognized_wherever_it_is(paths: UploadPaths, tmp_path: Path, mark: str) -> None:
    file(tmp_path / "anywhere" / mark)
    with pytest.raises(FileDenied, match="browser profile"):
        check(paths, file(tmp_path / "anywhere" / "Default" / "Preferences"))


def test_a_private_key_is_recognized_by_its_content(paths: UploadPaths, tmp_path: Path) -> None:
    key = file(tmp_path / "documents" / "notes.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz")
    with pytest.raises(FileDenied, match="private key"):
        check(paths, key)


def test_a_link_is_judged_by_where_it_leads(paths: UploadPaths, tmp_path: Path, home: Path) -> None:
    (home / "uploads").mkdir(parents=True)
    secret = file(tmp_path / ".ssh" / "id_rsa")
    other = file(tmp_path / "documents" / "report.pdf")
    for target, link in ((secret, "photo.png"), (tmp_path / ".ssh", "photos"), (other, "report.pdf")):
        (home / "uploads" / link).symlink_to(target)
    for name in ("photo.png", "photos/id_rsa"):
        with pytest.raises(FileDenied):
            check(paths, home / "uploads" / name)
    assert check(paths, home / "uploads" / "report.pdf") == LocalFile(other, free=False)
    with pytest.raises(FileDenied):
        check(paths, home / "uploads" / ".." / "token")


def test_whether_a_protected_file_exists_is_not_disclosed(paths: UploadPaths, tmp_path: Path) -> None:
    file(tmp_path / ".ssh" / "id_rsa")
    messages: set[str] = set()
    for name in ("id_rsa", "absent"):
        with pytest.raises(FileDenied) as denied:
            check(paths, tmp_path / ".ssh" / name)
        messages.add(str(denied.value.message).replace(name, "…"))
    assert len(messages) == 1


@pytest.mark.parametrize("name", ["absent", "\0", "x" * 5_000, "~nobody-by-this-name/file"])
def test_a_missing_or_impossible_path_is_an_invalid_argument(paths: UploadPaths, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgument):
        check(paths, name if name.startswith("~") else str(tmp_path / name))


@pytest.mark.parametrize("inside", [".env", "deep/.git/config", "key.p12", "Default/Login Data"])
def test_a_folder_is_judged_by_what_is_inside(paths: UploadPaths, tmp_path: Path, inside: str) -> None:
    folder = tmp_path / "project"
    file(folder / "readme.txt")
    assert check(paths, folder) == LocalFile(folder, free=False)
    file(folder / inside)
    if inside.startswith("Default"):
        file(folder / "Default" / "History")
    with pytest.raises(FileDenied):
        check(paths, folder)


def test_a_folder_with_a_link_to_elsewhere_is_never_uploaded(paths: UploadPaths, home: Path, tmp_path: Path) -> None:
    folder = home / "uploads" / "album"
    file(folder / "photo.png")
    assert check(paths, folder) == LocalFile(folder, free=True)
    (folder / "more.png").symlink_to(file(tmp_path / "documents" / "report.pdf"))
    with pytest.raises(FileDenied, match="leads out"):
        check(paths, folder)


def test_a_huge_folder_is_never_uploaded(paths: UploadPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_paths, "MAX_FOLDER_ENTRIES", 3)
    for number in range(4):
        file(tmp_path / "many" / f"{number}.txt")
    with pytest.raises(FileDenied, match="more than 3"):
        check(paths, tmp_path / "many")
