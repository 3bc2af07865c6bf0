"""Calls to the Linux kernel that Python does not offer, on x86-64. Failures are OSErrors that name the call."""

from __future__ import annotations

import ctypes
import os
import signal
import struct

NEW_MOUNTS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000
NEW_USER, NEW_PID, NEW_NET = 0x1000_0000, 0x2000_0000, 0x4000_0000
GIVE_PIDFD = 0x1000

READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 4096, 1 << 14, 1 << 18
DETACH = 2

SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, DROP_BOUNDING, NO_NEW_PRIVILEGES, AMBIENT = 1, 4, 24, 38, 47
NO_HUGE_PAGES = 41
CLEAR_AMBIENT = 4
CAPABILITY_V3 = 0x20080522
NEW_LISTENER, WAIT_KILLABLE = 8, 32  # of seccomp

_MMAP, _MPROTECT, _MUNMAP, _MREMAP = 9, 10, 11, 25
_PIVOT_ROOT, _CAPSET, _CLONE, _SECCOMP = 155, 126, 56, 317
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

# PyDLL keeps the interpreter's lock during its calls, so no other Python code runs between a clone and what follows it.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_PRIVATE_ANONYMOUS, _NO_RESERVE, _HERE_IF_FREE = 0x22, 0x4000, 0x10_0000
_MAY_MOVE_TO, _READ_WRITE, _READ_RUN = 1 | 2, 3, 5


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def _text(value: str | None) -> bytes | None:
    return None if value is None else os.fsencode(value)


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    arguments = _text(source), _text(target), _text(kind), ctypes.c_ulong(flags), _text(data)
    _checked(_libc.mount(*arguments), f"mount {target}")


def pivot_root(new: str, old: str) -> None:
    _checked(_libc.syscall(_PIVOT_ROOT, _text(new), _text(old)), "pivot_root")


def detach(target: str) -> None:
    _checked(_libc.umount2(_text(target), DETACH), f"umount {target}")


def set_host_name(name: str) -> None:
    _checked(_libc.sethostname(_text(name), len(name)), "sethostname")


def prctl(option: int, value: int = 0) -> int:
    """Return the result of prctl unchanged, because a refusal may be expected."""
    return int(_libc.prctl(*(ctypes.c_ulong(each) for each in (option, value, 0, 0, 0))))


def map_anywhere(size: int) -> int:
    """Map so many bytes of zeros where the kernel likes, and return the address."""
    given = (None, ctypes.c_size_t(size), _READ_WRITE, _PRIVATE_ANONYMOUS, -1, ctypes.c_size_t(0))
    return _checked(_libc.syscall(_MMAP, *given), "mmap")


def map_code(address: int, code: bytes) -> None:
    """Put a private copy of `code`, which are whole pages, in the place of what is mapped at `address`."""
    size = len(code)
    page = map_anywhere(size)
    ctypes.memmove(page, code, size)
    _checked(_libc.syscall(_MPROTECT, ctypes.c_size_t(page), ctypes.c_size_t(size), _READ_RUN), "mprotect")
    moved = (
        ctypes.c_size_t(page),
        ctypes.c_size_t(size),
        ctypes.c_size_t(size),
        _MAY_MOVE_TO,
        ctypes.c_size_t(address),
    )
    _checked(_libc.syscall(_MREMAP, *moved), "mremap")


def reserve(address: int, size: int) -> None:
    """Map these addresses without any right. Fails if one of them is mapped."""
    given = (ctypes.c_size_t(address), ctypes.c_size_t(size), 0, _PRIVATE_ANONYMOUS | _NO_RESERVE | _HERE_IF_FREE, -1)
    _checked(_libc.syscall(_MMAP, *given, ctypes.c_size_t(0)), "mmap")


def unmap(address: int, size: int) -> None:
    _checked(_libc.syscall(_MUNMAP, ctypes.c_size_t(address), ctypes.c_size_t(size)), "munmap")


def drop_capabilities() -> None:
    """Drop all capabilities; exec brings none back."""
    capability = 0
    while prctl(DROP_BOUNDING, capability) == 0:
        capability += 1
    prctl(AMBIENT, CLEAR_AMBIENT)
    header, none = struct.pack("<Ii", CAPABILITY_V3, 0), bytes(24)
    _checked(_libc.syscall(_CAPSET, header, none), "capset")


def fork_into_namespace() -> tuple[int, int]:
    """Fork a child that is process 1 of its own pid namespace.

    Return (its pid, a pidfd) here and (0, -1) in the child.
    """
    pidfd = ctypes.c_int(-1)
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = _libc.syscall(_CLONE, NEW_PID | GIVE_PIDFD | signal.SIGCHLD, 0, ctypes.byref(pidfd), 0, 0)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0, -1
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    return _checked(pid, "clone"), pidfd.value


def install_filter(program: bytes, flags: int = 0) -> int:
    """Install a seccomp filter for the life of this process, which must have no_new_privs.

    Return the listener if asked for.
    """

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    instructions = ctypes.create_string_buffer(program, len(program))
    structure = Program(len(program) // 8, ctypes.addressof(instructions))
    return _checked(_libc.syscall(_SECCOMP, 1, flags, ctypes.byref(structure)), "seccomp")


def landlock_version() -> int:
    """Return the kernel's version of Landlock, or 0 if it has none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)))


def landlock_rules(attributes: bytes) -> int:
    return _checked(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0), "landlock")


def landlock_allow_below(rules: int, folder: int, access: int) -> None:
    _checked(_libc.syscall(_LANDLOCK_ADD, rules, 1, struct.pack("<Qi", access, folder), 0), "landlock_add_rule")


def landlock_restrict(rules: int) -> None:
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, rules, 0), "landlock_restrict_self")
