"""System calls that a reading process gives up, by seccomp: by their numbers, which differ from machine to machine.

What is not named here is allowed: the libraries that parse are too many for a list of all that they call.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Collection

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
SET_FILTER, ALL_THREADS = 1, 1
LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06  # instructions of the filter
ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026  # refuse with EPERM; answer as a kernel without it (ENOSYS)
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
# By the machine's name: how the kernel marks its calls, the column of the tables below, the number of `seccomp`.
MACHINES = {"x86_64": (0xC000003E, 0, 317), "aarch64": (0xC00000B7, 1, 277)}
X32 = 0x40000000  # from here on x86_64 has its calls a second time, for programs of 32-bit addresses
NONE = -1

Numbers = tuple[int, int]
# Numbers on x86_64 and aarch64; NONE where a machine has no such call.
REFUSED: dict[str, Numbers] = {
    # the network, and what reaches other processes without it
    "socket": (41, 198), "socketpair": (53, 199),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "mq_open": (240, 180), "mq_unlink": (241, 181),
    # other processes: their memory, handles, priority; signals beside kill and tgkill
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # leaving the group that is killed with the process
    "setsid": (112, 157), "setpgid": (109, 154),
    # files: their content, names, rights, times, labels, locks
    "creat": (85, NONE), "openat2": (437, 437), "truncate": (76, 45), "ftruncate": (77, 46), "fallocate": (285, 47),
    "chmod": (90, NONE), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, NONE), "fchown": (93, 55), "lchown": (94, NONE), "fchownat": (260, 54),
    "utime": (132, NONE), "utimes": (235, NONE), "futimesat": (261, NONE), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "file_setattr": (469, 469), "flock": (73, 32),
    "link": (86, NONE), "linkat": (265, 37), "symlink": (88, NONE), "symlinkat": (266, 36),
    "unlink": (87, NONE), "unlinkat": (263, 35), "rmdir": (84, NONE),
    "rename": (82, NONE), "renameat": (264, 38), "renameat2": (316, 276),
    "mkdir": (83, NONE), "mkdirat": (258, 34), "mknod": (133, NONE), "mknodat": (259, 33),
    # memory that RLIMIT_DATA does not count
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    # ways around all this, and parts of the kernel that were such ways time and again
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "bpf": (321, 280), "userfaultfd": (323, 282), "perf_event_open": (298, 241),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "pivot_root": (155, 41),
    "mount": (165, 40), "umount2": (166, 39), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
}  # fmt: skip
CLONE3 = (435, 435)  # its flags lie in memory, where no filter sees them; libraries then call clone
# Calls of which some arguments are refused: the number of the argument, and bits of which none may be set.
FLAGS: dict[str, tuple[Numbers, int, int]] = {
    "open": ((2, NONE), 1, 0o1103),  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC
    "openat": ((257, 56), 2, 0o1103),
    "clone": ((56, 220), 0, 0x7E028000),  # all CLONE_NEW…, and CLONE_PARENT
}
# The same, with values that it may not have.
VALUES: dict[str, tuple[Numbers, int, tuple[int, ...]]] = {
    # locks (F_SETLK and its like, leases), signals when a file changes (F_SETOWN, F_SETSIG, F_NOTIFY)
    "fcntl": ((72, 25), 1, (6, 7, 8, 10, 15, 37, 38, 1024, 1026)),
    # a file's flags (FS_IOC_SETFLAGS, …FSSETXATTR), the same signals (FIOSETOWN), typing at a terminal (TIOCSTI)
    "ioctl": ((16, 29), 1, (0x40086602, 0x40046602, 0x401C5820, 0x8901, 0x8902, 0x5412, 0x541C)),
    "prctl": ((157, 167), 0, (36,)),  # PR_SET_CHILD_SUBREAPER: `rove.sandbox.watchdog` finds all that was started
}
# What a program needs that writes files, and can be left to it where Landlock says which.
WRITING = {
    "creat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes",
    "futimesat", "utimensat", "flock", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir",
    "rename", "renameat", "renameat2", "mkdir", "mkdirat", "open", "openat", "fcntl",
}  # fmt: skip
PRLIMIT, KILL, TGKILL = (302, 261), (62, 129), (234, 131)
MMAP, MMAP_FLAGS = (9, 222), 3
SHARED_ANONYMOUS, GROWS_DOWN = 0x21, 0x100  # memory that RLIMIT_DATA does not count, as above

Step = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]  # noqa: RUF012 - ctypes wants it so


def forbid_calls(libc: ctypes.CDLL, *, signals: bool, writing: bool = False) -> bool:
    """Make the refused calls fail with EPERM, for this process and all that it starts; False where that cannot be.

    With `signals`, kill and tgkill only reach this process itself, which what it starts can then not be killed by.
    With `writing`, files can be written, as far as Landlock lets them.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None:
        return False
    steps = filter_steps(*machine[:2], own=os.getpid() if signals else 0, left=WRITING if writing else ())
    program = _Program(len(steps), b"".join(struct.pack("=HBBI", *step) for step in steps))
    if libc.syscall(machine[2], SET_FILTER, ALL_THREADS, ctypes.byref(program)) == 0:
        return True
    return libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0  # an older kernel


def filter_steps(machine: int, column: int, own: int, left: Collection[str] = ()) -> list[Step]:
    """Write the filter: (instruction, jump if true, jump if false, value) each.

    `own` is the only pid for signals; the calls that are `left` are not refused.
    """
    steps = [(LOAD, 0, 0, MACHINE_AT), (EQUAL, 1, 0, machine), (RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER_AT)]
    if column == 0:
        steps += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, REFUSE)]
    memory = [(ANY_BIT, 2, 0, GROWS_DOWN), (AND, 0, 0, SHARED_ANONYMOUS), (EQUAL, 0, 1, SHARED_ANONYMOUS)]
    steps += _call_refusal_steps(MMAP[column], MMAP_FLAGS, memory)
    for numbers, argument, bits in (refused for name, refused in FLAGS.items() if name not in left):
        steps += _call_refusal_steps(numbers[column], argument, [(ANY_BIT, 0, 1, bits)])
    for numbers, argument, values in (refused for name, refused in VALUES.items() if name not in left):
        last = len(values) - 1
        steps += _call_refusal_steps(
            numbers[column], argument, [(EQUAL, last - at, int(at == last), value) for at, value in enumerate(values)]
        )
    for numbers, only in [(PRLIMIT, 0), *([(KILL, own), (TGKILL, own)] if own else [])]:
        steps += _call_refusal_steps(numbers[column], 0, [(EQUAL, 1, 0, only)])
    for numbers in (refused for name, refused in REFUSED.items() if name not in left):
        if numbers[column] != NONE:
            steps += [(EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, REFUSE)]
    return [*steps, (EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, UNKNOWN), (RETURN, 0, 0, ALLOW)]


def _call_refusal_steps(number: int, argument: int, tests: list[Step]) -> list[Step]:
    """Refuse a call where its argument passes the tests, which go on to the next step if so, else over one."""
    if number == NONE:
        return []
    body = [(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument), *tests, (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    return [(EQUAL, 0, len(body), number), *body]
