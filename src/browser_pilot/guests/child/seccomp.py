"""A seccomp filter for Linux: a list of harmless system calls; all others fail with EPERM, in every thread, for good.

No files, no sockets, no processes, no signals to others, no new executable memory. Only its input can be read and only
its output written. Raw BPF, because that is 40 lines and needs no library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_ALLOW, _KILL, _DENY = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000
_PROT_EXEC = 4
_SET_MODE_FILTER, _ALL_THREADS = 1, 1

# By machine: the audit architecture, the number of seccomp(2), and the allowed system calls.
_MACHINES: dict[str, tuple[int, int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        317,
        {
            "read": 0, "write": 1, "close": 3, "poll": 7, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
            "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25,
            "madvise": 28, "nanosleep": 35, "getpid": 39, "exit": 60, "gettimeofday": 96, "getrusage": 98,
            "sigaltstack": 131, "gettid": 186, "time": 201, "futex": 202, "sched_getaffinity": 204,
            "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230,
            "exit_group": 231, "ppoll": 271, "set_robust_list": 273, "getrandom": 318, "membarrier": 324, "rseq": 334,
        },
    ),
    "aarch64": (
        0xC00000B7,
        277,
        {
            "close": 57, "lseek": 62, "read": 63, "write": 64, "ppoll": 73, "exit": 93, "exit_group": 94, "futex": 98,
            "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115,
            "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132,
            "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "getrusage": 165, "gettimeofday": 169,
            "getpid": 172, "gettid": 178, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226,
            "madvise": 233, "getrandom": 278, "membarrier": 283, "rseq": 293,
        },
    ),
}  # fmt: skip
# Index of an argument and its only allowed value.
_FIXED_ARGUMENTS = {"read": (0, 0), "write": (0, 1)}
_NEVER_EXECUTABLE = ("mmap", "mprotect")

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def is_supported() -> bool:
    return sys.platform.startswith("linux") and os.uname().machine in _MACHINES


def lock_down(*, allow_executable_memory: bool = False) -> None:
    """Irreversible. Raises ``OSError`` when the kernel refuses. A compiler needs executable memory."""
    architecture, own_number, allowed = _MACHINES[os.uname().machine]
    code = b"".join(struct.pack("HBBI", *one) for one in _filter(architecture, allowed, allow_executable_memory))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(own_number, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def _filter(architecture: int, allowed: dict[str, int], allow_executable_memory: bool) -> list[Instruction]:
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for name, number in allowed.items():
        if name in _FIXED_ARGUMENTS:
            argument, value = _FIXED_ARGUMENTS[name]
            check: list[Instruction] = [(_LOAD, 0, 0, _low_half(argument)), (_EQUAL, 1, 0, value)]
        elif name in _NEVER_EXECUTABLE and not allow_executable_memory:
            check = [(_LOAD, 0, 0, _low_half(2)), (_BITS, 0, 1, _PROT_EXEC)]
        else:
            check = []
        action: list[Instruction] = [(_RETURN, 0, 0, _ALLOW)]
        if check:
            action = [(_RETURN, 0, 0, _DENY), (_RETURN, 0, 0, _ALLOW)]
        program.append((_EQUAL, 0, len(check) + len(action), number))
        program += [*check, *action]
    return [*program, (_RETURN, 0, 0, _DENY)]


def _low_half(argument: int) -> int:
    # Both machines are little-endian. File descriptors and protections are ints: the kernel ignores the upper half.
    return _FIRST_ARGUMENT + 8 * argument
