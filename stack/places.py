"""Where things live.  Everything follows from the data folder and the user, so nobody has to be asked.

A normal user's database lies in the data folder.  PostgreSQL refuses to run as root; root's
database lies in one folder of an unprivileged account outside the clone, because that account
may be unable to reach the clone, and no permission of a parent folder is ever changed.
"""

import hashlib
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError

CLONE = Path(__file__).resolve().parent.parent
LONGEST_SOCKET = 100  # bytes; the limit is 107 on Linux and 103 on macOS
SHORT = Path("/tmp")  # noqa: S108  not TMPDIR: two terminals must agree on it


@dataclass(frozen=True, slots=True)
class Account:
    """An unprivileged user that a server runs as when we are root."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders of one stack; none has to exist yet."""

    data: Path  # logs, locks, the broker's data; for a normal user the database as well
    home: Path  # holds the database, and for root a copy of its server
    sockets: Path  # mode 700: whoever may enter is trusted
    account: Account | None  # None: servers run as the user who started us

    @property
    def database(self) -> Path:
        return self.home / "postgres"

    def create(self) -> None:
        """Make the folders.  Refuses folders of somebody else."""
        _own_folder(self.data, os.geteuid())
        if self.account is None:
            _own_folder(self.sockets, os.geteuid())
        else:
            self._adopt_home()
            _own_folder(self.home, self.account.uid, self.account.gid)
            _own_folder(self.sockets, self.account.uid, self.account.gid)

    def remove(self) -> list[Path]:
        """Delete every folder; return those that existed.  Nothing may be running."""
        folders = [folder for folder in dict.fromkeys((self.data, self.home)) if folder.exists()]
        if not any(self.sockets.is_relative_to(folder) for folder in folders) and self.sockets.exists():
            folders.append(self.sockets)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        return folders

    def _adopt_home(self) -> None:
        """Tie the home outside to this data folder; a home left by a deleted one is stale."""
        pointer = self.data / "postgres"
        if pointer.is_dir() and not pointer.is_symlink():
            owner = pointer.stat().st_uid
            raise StackError(
                f"The database in {pointer} belongs to user {owner}: start as that user, or run make clean."
            )
        if pointer.is_symlink():
            return
        if self.home.exists():
            shutil.rmtree(self.home)
        pointer.symlink_to(self.database)


def development() -> Places:
    """Return the places of this clone's stack; ``POSTA_DATA`` names another data folder."""
    return of(Path(os.environ.get("POSTA_DATA") or CLONE / ".data"))


def of(data: Path) -> Places:
    """Return the places that belong to the data folder ``data``; touches nothing."""
    data = data.absolute()
    if os.geteuid() == 0:
        pointer = data / "postgres"
        home = pointer.readlink().parent if pointer.is_symlink() else _outside() / f"posta-{_digest(data)}"
        return Places(data=data, home=home, sockets=home / "run", account=_nobody())
    sockets = data / "run"
    if len(os.fsencode(sockets / ".s.PGSQL.5432")) > LONGEST_SOCKET:
        sockets = SHORT / f"posta-{os.geteuid()}-{_digest(data)}"
    return Places(data=data, home=data, sockets=sockets, account=None)


@contextmanager
def temporary() -> Iterator[Places]:
    """Yield the places of a stack of its own; they are gone afterwards."""
    base = SHORT if os.access(SHORT, os.W_OK) else Path(tempfile.gettempdir())
    if os.geteuid() == 0:
        base = base if _executable(base) else _outside()
    data = Path(tempfile.mkdtemp(prefix="posta-", dir=base))
    try:
        if os.geteuid() == 0:
            data.chmod(0o711)  # ours alone: the account passes through, nobody reads
            home = data / "home"
            yield Places(data=data, home=home, sockets=home / "run", account=_nobody())
        else:
            yield Places(data=data, home=data, sockets=data / "run", account=None)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _outside() -> Path:
    """Return a folder that root may write to and everybody may pass through."""
    for base in (Path("/var/lib"), SHORT):
        if os.access(base, os.W_OK) and _executable(base):
            return base
    raise StackError(
        "PostgreSQL does not run as root and there is no folder for an unprivileged user: "
        "start as a normal user, or set DATABASE_URL to a server of yours."
    )


def _executable(folder: Path) -> bool:
    passable = all(parent.stat().st_mode & 0o001 for parent in (folder, *folder.parents))
    return passable and not os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0)


def _nobody() -> Account:
    for name in ("nobody", "daemon"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise StackError(
        "PostgreSQL does not run as root and this machine has no user nobody: "
        "start as a normal user, or set DATABASE_URL to a server of yours."
    )


def _own_folder(folder: Path, uid: int, gid: int = -1) -> None:
    """Make ``folder`` for ``uid``, mode 700, or accept it when it already is that user's."""
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        found = folder.lstat()
        if found.st_uid != uid or not folder.is_dir() or folder.is_symlink():
            raise StackError(
                f"{folder} belongs to user {found.st_uid}: start, or run make clean, as that user."
            ) from None
        return
    if uid != os.geteuid():
        try:
            os.chown(folder, uid, gid)
        except OSError as error:
            folder.rmdir()
            raise StackError(
                f"PostgreSQL does not run as root and {folder} cannot be given to user {uid} "
                f"({error.strerror}): start as a normal user, or set DATABASE_URL to a server of yours."
            ) from error


def _digest(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data)).hexdigest()[:10]
