"""The calls to the kernel that a bot may make, as a seccomp filter assembled here. x86-64 only.

Calls that are not listed fail with EPERM. Calls that only an attack needs end the process (SIGSYS), which is a
violation.
"""

from __future__ import annotations

import struct

X86_64 = 0xC000_003E  # AUDIT_ARCH_X86_64
X32 = 0x4000_0000  # numbers from here on belong to the other calling convention

ALLOW, KILL, FAIL, ASK = 0x7FFF_0000, 0x8000_0000, 0x0005_0000, 0x7FC0_0000
EPERM, ENOSYS = 1, 38

ALLOWED = {
    "read": 0, "write": 1, "readv": 19, "writev": 20, "pread64": 17, "close": 3, "lseek": 8,
    "poll": 7, "ppoll": 271, "select": 23, "pselect6": 270,
    "stat": 4, "lstat": 6, "access": 21,
    "faccessat": 269, "faccessat2": 439,
    "open": 2, "openat": 257, "readlink": 89, "readlinkat": 267, "getdents64": 217, "getcwd": 79,
    "brk": 12,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sigaltstack": 131, "restart_syscall": 219,
    "nanosleep": 35, "clock_nanosleep": 230, "sched_yield": 24, "sched_getaffinity": 204,
    "gettimeofday": 96, "time": 201, "times": 100, "clock_gettime": 228, "clock_getres": 229, "getrusage": 98,
    "getpid": 39, "gettid": 186, "getppid": 110, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108,
    "getrlimit": 97, "uname": 63, "getrandom": 318,
    "set_robust_list": 273, "set_tid_address": 218, "rseq": 334,
    "exit": 60, "exit_group": 231,
}  # fmt: skip

DEADLY = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "pidfd_getfd": 438,
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308, "swapon": 167,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "mount_setattr": 442, "name_to_handle_at": 303, "open_by_handle_at": 304,
    "bpf": 321, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "userfaultfd": 323,
    "perf_event_open": 298, "memfd_secret": 447, "fanotify_init": 300,
    "add_key": 248, "request_key": 249, "keyctl": 250,
    "init_module": 175, "finit_module": 313, "kexec_load": 246, "kexec_file_load": 320, "reboot": 169,
    "personality": 135, "acct": 163, "syslog": 103, "iopl": 172, "ioperm": 173, "modify_ldt": 154,
    "settimeofday": 164, "clock_settime": 227, "adjtimex": 159, "quotactl": 179,
}  # fmt: skip

# No alarm: it would go off while other bots are asked. No locks, leases, owners or pipe sizes: each would be a channel
# between bots, or a hold on the host.
FCNTL = (72, (1, 2, 3, 4))  # F_GETFD, F_SETFD, F_GETFL, F_SETFL
IOCTL = (16, (0x5401, 0x5451, 0x5450, 0x541B))  # TCGETS, FIOCLEX, FIONCLEX, FIONREAD
# MADV_WILLNEED, MADV_DONTNEED, MADV_FREE. No MADV_MERGEABLE: a bot can detect whether a page was merged with another
# bot's. No MADV_HUGEPAGE: a bot can detect how many huge pages the host has left. None that splits mappings.
MADVISE = (28, (3, 4, 8))
# Calls that describe an open file. The host numbers pipes in the order in which they are made, so a bot must not learn
# its own numbers. Its pipes are its first descriptors and stay so, because no call of the dup family is allowed.
ABOUT_OPEN = {"fstat": 5, "newfstatat": 262, "statx": 332}
PIPES = (0, 1, 2, 3)

READ, MMAP, MUNMAP, MREMAP, FUTEX, CLONE3 = 0, 9, 11, 25, 202, 435
# The addresses at which bots map memory: the kernel chooses one, because all others are taken (`address_space`). Bots
# may only change mappings in it, and may not call mprotect, which would open the taken ones.
ROOM, ROOM_BYTES = 0x7000_0000_0000, 512 << 20
MAY_MOVE = 1
EXECUTABLE, PRIVATE_FUTEX = 4, 128
SHARED, HUGE = 1, 0x4_0000  # a mapping with either belongs to the whole host

_LOAD, _EQUAL, _MORE, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_KEEP, _ADD_KEPT, _AT_LEAST_KEPT = 0x07, 0x0C, 0x3D  # in the second register
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data; its arguments have 8 bytes each, from 16 on


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _argument(index: int) -> bytes:
    """Load the argument's lower half. For arguments of 32 bits the kernel reads no more."""
    return _instruction(_LOAD, 16 + 8 * index)


def _upper_half_is(index: int, value: int) -> bytes:
    """Fail unless the argument's upper half has this value, else continue after these instructions."""
    return _instruction(_LOAD, 20 + 8 * index) + _instruction(_EQUAL, value, 1, 0) + _end(FAIL | EPERM)


def _end(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _for_call(number: int, body: bytes) -> bytes:
    """Use `body` to decide about this call. It must end in a return on every path."""
    return _instruction(_EQUAL, number, 0, len(body) // 8) + body


def _one_of(argument: int, values: tuple[int, ...]) -> bytes:
    tests = (_instruction(_EQUAL, value, 0, 1) + _end(ALLOW) for value in values)
    return _argument(argument) + b"".join(tests) + _end(FAIL | EPERM)


def _unless_one_of(argument: int, values: tuple[int, ...]) -> bytes:
    tests = (_instruction(_EQUAL, value, 0, 1) + _end(FAIL | EPERM) for value in values)
    return _argument(argument) + b"".join(tests) + _end(ALLOW)


def _unless_any(argument: int, bits: int) -> bytes:
    """Fail if one of the bits is set, else continue after these instructions."""
    return _argument(argument) + _instruction(_ANY_BIT, bits, 0, 1) + _end(FAIL | EPERM)


def _only_with(argument: int, bits: int) -> bytes:
    return _argument(argument) + _instruction(_ANY_BIT, bits, 0, 1) + _end(ALLOW) + _end(FAIL | EPERM)


def _is_null(argument: int) -> bytes:
    """Fail unless the address is NULL, else continue after these instructions."""
    return _upper_half_is(argument, 0) + _argument(argument) + _instruction(_EQUAL, 0, 1, 0) + _end(FAIL | EPERM)


def _in_room(address: int, length: int) -> bytes:
    """Fail unless a range of addresses lies in the room, else continue after these instructions."""
    halves = _upper_half_is(address, ROOM >> 32) + _upper_half_is(length, 0)
    end = _argument(length) + _instruction(_KEEP, 0) + _argument(address) + _instruction(_ADD_KEPT, 0)
    no_overflow = _instruction(_AT_LEAST_KEPT, 0, 1, 0) + _end(FAIL | EPERM)
    return halves + end + no_overflow + _instruction(_MORE, ROOM_BYTES, 0, 1) + _end(FAIL | EPERM)


def program() -> bytes:
    """Return the filter as struct sock_filter, 8 bytes an instruction."""
    parts = [
        _instruction(_LOAD, _ARCHITECTURE), _instruction(_EQUAL, X86_64, 1, 0), _end(KILL),
        _instruction(_LOAD, _NUMBER), _instruction(_AT_LEAST, X32, 0, 1), _end(KILL),
        *(_for_call(number, _end(ALLOW)) for number in ALLOWED.values()),
        *(_for_call(number, _unless_one_of(0, PIPES)) for number in ABOUT_OPEN.values()),
        _for_call(FUTEX, _only_with(1, PRIVATE_FUTEX)),
        _for_call(MMAP, _is_null(0) + _unless_any(2, EXECUTABLE) + _unless_any(3, SHARED | HUGE) + _end(ALLOW)),
        _for_call(MUNMAP, _in_room(0, 1) + _end(ALLOW)),
        _for_call(MREMAP, _in_room(0, 1) + _upper_half_is(2, 0) + _one_of(3, (0, MAY_MOVE))),
        *(_for_call(number, _one_of(1, commands)) for number, commands in (FCNTL, IOCTL)),
        _for_call(MADVISE[0], _one_of(2, MADVISE[1])),
        _for_call(CLONE3, _end(FAIL | ENOSYS)),  # the C library then tries clone, which is refused
        *(_for_call(number, _end(KILL)) for number in DEADLY.values()),
        _end(FAIL | EPERM),
    ]  # fmt: skip
    return b"".join(parts)


def read_hold() -> bytes:
    """Return a filter that makes each read of descriptor 0 wait for the worker (`flow_control`) and allows all else."""
    of_questions = _argument(0) + _instruction(_EQUAL, 0, 0, 1) + _end(ASK)
    return _instruction(_LOAD, _NUMBER) + _for_call(READ, of_questions + _end(ALLOW)) + _end(ALLOW)
