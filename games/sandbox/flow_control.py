"""Where a bot waits for its next question: the kernel holds it at its reading until the worker lets it go.

A second seccomp filter (`seccomp.read_hold`) hands every `read` of descriptor 0 to whoever has its listener, which is
the worker. From when the worker has received it until it lets it go no signal and no timer wakes the bot: only its end
does. So a bot that is held here does not run, and letting it go costs no more than the one waking which a question
costs anyhow. Linux 5.19 or newer; seccomp_unotify(2).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import struct

from games.sandbox import kernel, seccomp

RECEIVE, SEND, SET_FLAGS = 0xC050_2100, 0xC018_2101, 0x4008_2104  # SECCOMP_IOCTL_NOTIF_RECV, _SEND, _SET_FLAGS
WAKE_HERE = 1  # SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP: as pipes do, for who wakes the other waits next
EMPTY = bytes(80)  # struct seccomp_notif; it begins with the id, of 8 bytes
CHUNK = 1 << 16  # what a pipe holds
GO_ON = struct.pack("<qiI", 0, 0, 1)  # the rest of struct seccomp_notif_resp: SECCOMP_USER_NOTIF_FLAG_CONTINUE


def put_up(channel: int) -> None:
    """In the bot's process, before its own code: put up the read hold and send its listener through a socket.

    Where the kernel can't, nothing is sent. Neither the socket nor the listener stays open here.
    """
    with socket.socket(fileno=channel) as worker:
        try:
            listener = kernel.install_filter(seccomp.read_hold(), kernel.NEW_LISTENER | kernel.WAIT_KILLABLE)
        except OSError:
            return
        socket.send_fds(worker, [b"gate"], [listener])
        os.close(listener)


def listener_from(channel: socket.socket) -> int | None:
    """In the worker: what the bot's process has sent; None if it put up no read hold, or has ended."""
    try:
        return next(iter(socket.recv_fds(channel, 16, 1)[1]), None)
    except OSError:
        return None


class ReadHold:
    """The worker's end. While it `holds`, the bot does not run."""

    def __init__(self, listener: int) -> None:
        self.listener = listener
        self.holds = False
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._arrival = [(listener, select.POLLIN)]
        self._reply = b""  # that lets it go
        with contextlib.suppress(OSError):  # before Linux 6.6
            fcntl.ioctl(listener, SET_FLAGS, WAKE_HERE)

    def comes(self, wait_ms: float) -> bool:
        """Whether the bot comes to the read hold within so many milliseconds; then it is held."""
        if self._poll.poll(wait_ms) != self._arrival:
            return False
        try:
            self._reply = fcntl.ioctl(self.listener, RECEIVE, EMPTY)[:8] + GO_ON
        except OSError:  # a signal, or its end, has called it away again
            return False
        self.holds = True
        return True

    def let_go(self) -> None:
        """Let it read on."""
        self.holds = False
        try:
            fcntl.ioctl(self.listener, SEND, self._reply)
        except OSError:  # it has ended; that is seen where we wait
            return

    def ask(self, asks: int, line: bytes, answers: int, wait_ms: float) -> tuple[bytes, bytes]:
        """What nearly always is all: write a line to it, let it go, wait until it comes again, and read its answer.

        What of the line is still to be written, and what it has said: b"" if it has not come yet.
        """
        try:
            rest = line[os.write(asks, line) :]
        except OSError:  # it does not read, or not any more: that is seen where there is a watch over it
            return line, b""
        self.let_go()
        try:
            return rest, os.read(answers, CHUNK) if not rest and self.comes(wait_ms) else b""
        except BlockingIOError:
            return b"", b""
