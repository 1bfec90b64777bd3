"""What a parser that was taken over may try. Each attack returns "done", or the name of the error that it met.

Installed as a plug-in loader these run in a reading process; as they are, in a process that has given up nothing.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rove.load.discover import Location
from rove.prepare import Recipe
from rove.records import Document, Prepared, Source, SourceEnd, Text
from rove.sandbox import Limits
from rove.sandbox.calls import FLAGS, MACHINES, REFUSED, VALUES
from rove.sandbox.pool import Pool

MANY = 200_000_000
libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> int:
    """Make a system call by its number, as code of an attacker's own would."""
    numbers = REFUSED[name] if name in REFUSED else (FLAGS.get(name) or VALUES[name])[0]
    number = numbers[MACHINES[platform.machine()][1]]
    if number < 0:
        raise OSError(errno.EPERM, "no such call on this machine")
    whole = [ctypes.c_long(at) if isinstance(at, int) else at for at in arguments]
    result = libc.syscall(number, *whole)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def truncate(path: str) -> None:
    os.truncate(path, 0)


def open_truncated(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))


def append(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND))


def write_through_openat2(path: str) -> None:
    how = struct.pack("=QQQ", os.O_WRONLY | os.O_TRUNC, 0, 0)
    call("openat2", -100, path.encode(), how, len(how))


def make(path: str) -> None:
    os.close(os.open(f"{path}.new", os.O_CREAT | os.O_WRONLY))


def unlink(path: str) -> None:
    os.unlink(path)


def rename(path: str) -> None:
    os.rename(path, f"{path}.moved")


def link(path: str) -> None:
    os.link(path, f"{path}.linked")


def symlink(path: str) -> None:
    os.symlink(path, f"{path}.pointed")


def mkdir(path: str) -> None:
    os.mkdir(f"{path}.folder")


def mkfifo(path: str) -> None:
    os.mkfifo(f"{path}.pipe")


def chmod(path: str) -> None:
    os.chmod(path, 0o777)


def fchmod(path: str) -> None:
    os.fchmod(os.open(path, os.O_RDONLY), 0o777)


def fchmodat2(path: str) -> None:
    call("fchmodat2", -100, path.encode(), 0o777, 0)


def chown(path: str) -> None:
    os.chown(path, os.getuid(), os.getgid())


def utime(path: str) -> None:
    os.utime(path, (0, 0))


def setxattr(path: str) -> None:
    os.setxattr(path, "user.mark", b"1")


def removexattr(path: str) -> None:
    os.removexattr(path, "user.kept")


def set_file_flags(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    flags = bytearray(8)
    fcntl.ioctl(handle, 0x80086601, flags)
    fcntl.ioctl(handle, 0x40086602, bytes(flags))


def flock(path: str) -> None:
    fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_a_part(path: str) -> None:
    fcntl.lockf(os.open(path, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB)


def signal_parent(pid: str) -> None:
    os.kill(int(pid), 0)


def signal_all_of_the_parent_s_group(pid: str) -> None:
    os.killpg(os.getpgid(int(pid)), 0)


def signal_a_thread_of_the_parent(pid: str) -> None:
    call("tkill", int(pid), 0)


def queue_signal_to_parent(pid: str) -> None:
    call("rt_sigqueueinfo", int(pid), 0, struct.pack("=iii", 0, 0, -1) + bytes(116))


def signal_parent_by_handle(pid: str) -> None:
    signal.pidfd_send_signal(os.pidfd_open(int(pid)), 0)


def own_signals_of_a_pipe(pid: str) -> None:
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, int(pid))


def limit_parent(pid: str) -> None:
    limits = (ctypes.c_uint64 * 2)()
    if libc.prlimit64(int(pid), 7, None, limits):
        raise OSError(ctypes.get_errno(), "prlimit64")


def renice_parent(pid: str) -> None:
    os.setpriority(os.PRIO_PROCESS, int(pid), os.getpriority(os.PRIO_PROCESS, int(pid)))


def pin_parent(pid: str) -> None:
    os.sched_setaffinity(int(pid), os.sched_getaffinity(int(pid)))


def read_environment_of_parent(pid: str) -> None:
    Path(f"/proc/{pid}/environ").read_bytes()


def read_command_of_parent(pid: str) -> None:
    Path(f"/proc/{pid}/cmdline").read_bytes()


def read_memory_of_parent(pid: str) -> None:
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY))


def open_files_of_parent(pid: str) -> None:
    os.listdir(f"/proc/{pid}/fd")


def go_round_by_root(pid: str) -> None:
    Path("/proc/self/root", "proc", str(pid), "environ").read_bytes()


def take_memory_of_parent(pid: str) -> None:
    piece = ctypes.create_string_buffer(8)
    vector = struct.pack("=QQ", ctypes.addressof(piece), 8)
    try:
        call("process_vm_readv", int(pid), vector, 1, vector, 1, 0)
    except OSError as error:
        if error.errno != errno.EFAULT:  # the other process has nothing there: it was looked for
            raise


def trace_parent(pid: str) -> None:
    call("ptrace", 0x4206, int(pid), 0, 0)  # seize
    os._exit(7)


def map_shared(_: str) -> None:
    mmap.mmap(-1, MANY)


def map_growing_stack(_: str) -> None:
    mmap.mmap(-1, MANY, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)


def map_zeros_shared(_: str) -> None:
    mmap.mmap(os.open("/dev/zero", os.O_RDONLY), MANY, mmap.MAP_SHARED, mmap.PROT_READ)


def memory_file(_: str) -> None:
    os.memfd_create("hoard")


def shared_segment(_: str) -> None:
    identity = call("shmget", 0, MANY, 0o1600)
    call("shmctl", identity, 0, 0)


def message_queue(_: str) -> None:
    call("msgctl", call("msgget", 0, 0o1600), 0, 0)


def leave_session(_: str) -> None:
    if os.getpid() == os.getsid(0):  # a leader cannot; what it starts could
        code = "import os; os.setsid()"
        done = subprocess.run([sys.executable, "-S", "-c", code], stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise PermissionError(errno.EPERM, done.stderr.decode())
    else:
        os.setsid()


def leave_group(_: str) -> None:
    child = os.fork()
    if not child:
        try:
            os.setpgid(0, 0)
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    if status := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise OSError(status, "setpgid")


def new_namespace(_: str) -> None:
    call("unshare", 0x10000000)


def clone_into_namespace(_: str) -> None:
    child = call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def socket_pair(_: str) -> None:
    call("socketpair", 1, 1, 0, bytes(8))


def ring(_: str) -> None:
    os.close(call("io_uring_setup", 1, bytes(120)))


def keys(_: str) -> None:
    call("keyctl", 0, -3, 0)


def old_calls(_: str) -> None:
    """Getpid as a 32-bit program asks for it, whose numbers a filter for 64 bits takes for others."""
    if platform.machine() != "x86_64":
        raise PermissionError(errno.EPERM, "not on this machine")
    code = bytes.fromhex("53b814000000cd805bc3")  # push rbx; mov eax, 20; int 0x80; pop rbx; ret
    page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    if result < 0:
        raise OSError(-result, "int 0x80")


def x32_calls(_: str) -> None:
    if libc.syscall(0x40000000 + 39) < 0:
        raise OSError(ctypes.get_errno(), "getpid of x32")


def raise_limits(_: str) -> None:
    code = "import resource; resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))"
    done = subprocess.run([sys.executable, "-S", "-c", code], stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise PermissionError(errno.EPERM, done.stderr.decode())


def capabilities(_: str) -> None:
    """What root may do beyond others, of this process (all but reading, bit 2) and of one that it starts."""
    mine = int(Path("/proc/self/status").read_text().split("CapPrm:")[1].split()[0], 16)
    code = "print(open('/proc/self/status').read().split('CapPrm:')[1].split()[0])"
    told = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False).stdout
    if not (mine & ~4) and (not told or int(told, 16) == 0):
        raise PermissionError(errno.EPERM, "none")


FILE_ATTACKS = [
    truncate, open_truncated, append, write_through_openat2, make, unlink, rename, link, symlink, mkdir, mkfifo,
    chmod, fchmod, fchmodat2, chown, utime, setxattr, removexattr, set_file_flags, flock, lock_a_part,
]  # fmt: skip
PARENT_ATTACKS = [
    signal_parent, signal_all_of_the_parent_s_group, signal_a_thread_of_the_parent, queue_signal_to_parent,
    signal_parent_by_handle, own_signals_of_a_pipe, limit_parent, renice_parent, pin_parent,
    read_environment_of_parent, read_command_of_parent, read_memory_of_parent, open_files_of_parent, go_round_by_root,
    take_memory_of_parent, trace_parent,
]  # fmt: skip
OTHER_ATTACKS = [
    map_shared, map_growing_stack, map_zeros_shared, memory_file, shared_segment, message_queue, leave_session,
    leave_group, new_namespace, clone_into_namespace, socket_pair, ring, keys, old_calls, x32_calls, raise_limits,
    capabilities,
]  # fmt: skip
ATTACKS = {attack.__name__: attack for attack in (*FILE_ATTACKS, *PARENT_ATTACKS, *OTHER_ATTACKS)}


def attempt(name: str, argument: str) -> str:
    try:
        ATTACKS[name](argument)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


class AttackLoader:
    """Does what the text of its source says: the attack's name, and what it is aimed at."""

    def load(self, source: Source) -> Iterator[Document]:
        name, _, argument = source.data.decode().partition(" ")
        deed = getattr(self, f"_{name}", None)
        yield Document(source.uri, source.uri, "attack", deed(argument) if deed else attempt(name, argument))

    def _leave_a_child(self, lifeline: str) -> str:
        """Fork twice, so that the grandchild is nobody's, and let it hold all pipes that this process has."""
        if not os.fork():
            if not os.fork():
                Path(lifeline).read_bytes()  # a named pipe: ends when the test lets it
            os._exit(0)
        time.sleep(0.2)
        os._exit(3)

    def _leave_a_program(self, path: str) -> str:
        """Start a program, and go on as if nothing were."""
        return str(subprocess.Popen(["cat", path], stdout=subprocess.PIPE).pid)

    def _share_out(self, size: str) -> str:
        """Hold in six processes what no one may hold."""
        for _ in range(6):
            if not os.fork():
                held = b"1" * int(size)
                time.sleep(1000)
                os._exit(len(held) % 2)
        time.sleep(1000)
        return "held"

    def _stop(self, _: str) -> str:
        os.kill(os.getpid(), signal.SIGSTOP)
        return "went on"


def outside(name: str, argument: str) -> str:
    """Attempt it in a process of its own that has given up nothing: the positive control."""
    ours, its = os.pipe()
    child = os.fork()
    if not child:
        os.write(its, attempt(name, argument).encode())
        os._exit(0)
    os.close(its)
    with open(ours, "rb") as said:
        told = said.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "done" if status == 7 else told


def inside(deeds: dict[str, str]) -> dict[str, str]:
    """Attempt them in reading processes of this process; told are also the deaths."""
    jobs = [(Location(name, name, text=Text(f"{name} {at}", id=name, kind="attack")), "") for name, at in deeds.items()]
    pool = Pool(Recipe("m", "p"), Limits(cpu_s=5.0, wall_s=20.0), 1)
    told: dict[str, str] = {}
    for item in pool.read(jobs):
        if isinstance(item, SourceEnd) and item.outcome:
            told[item.source] = f"{item.outcome}: {item.reason}"
        elif isinstance(item, Prepared):
            told[item.ledger_source] = item.document.text
    pool.close()
    return told


def main() -> None:
    """Attempt all attacks inside and outside; each has a file of its own to do it to."""
    files, me = Path(sys.argv[1]), str(os.getpid())
    aims = {a.__name__: "" for a in OTHER_ATTACKS} | {a.__name__: me for a in PARENT_ATTACKS}
    within = inside(aims | {a.__name__: str(files / "inside" / a.__name__) for a in FILE_ATTACKS})
    control = os.fork()  # whose parent is this process, too
    if not control:
        aims |= {a.__name__: str(files / "outside" / a.__name__) for a in FILE_ATTACKS}
        told = {name: [within.get(name, "nothing"), outside(name, aim)] for name, aim in aims.items()}
        sys.stdout.write(json.dumps(told))
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(control, 0)


if __name__ == "__main__":
    main()
