"""Holds a bot while it waits for its next question: the kernel stops it in its read until the worker lets it go.

A second seccomp filter (`seccomp.read_hold`) hands every `read` of descriptor 0 to the holder of its listener, which is
the worker. Between receiving the read and letting it go, no signal and no timer wakes the bot; only its end does. So a
held bot does not run. Letting it go costs no more than the one wake-up that a question needs anyway. Needs Linux 5.19
or newer; see seccomp_unotify(2).
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
WAKE_HERE = 1  # SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP: wakes as pipes do, because the sender will wait next
EMPTY = bytes(80)  # struct seccomp_notif, which begins with an id of 8 bytes
CHUNK = 1 << 16  # the capacity of a pipe
GO_ON = struct.pack("<qiI", 0, 0, 1)  # the rest of struct seccomp_notif_resp: SECCOMP_USER_NOTIF_FLAG_CONTINUE


def put_up(channel: int) -> None:
    """In the bot's process, before its own code: install the read hold and send its listener through a socket.

    If the kernel cannot, nothing is sent. Both the socket and the listener are closed here.
    """
    with socket.socket(fileno=channel) as worker:
        try:
            listener = kernel.install_filter(seccomp.read_hold(), kernel.NEW_LISTENER | kernel.WAIT_KILLABLE)
        except OSError:
            return
        socket.send_fds(worker, [b"gate"], [listener])
        os.close(listener)


def listener_from(channel: socket.socket) -> int | None:
    """In the worker: return the listener that the bot's process sent; None if it installed no read hold, or has
    ended."""
    try:
        return next(iter(socket.recv_fds(channel, 16, 1)[1]), None)
    except OSError:
        return None


class ReadHold:
    """The worker's end of a read hold. While it `holds`, the bot does not run."""

    def __init__(self, listener: int) -> None:
        self.listener = listener
        self.holds = False
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._arrival = [(listener, select.POLLIN)]
        self._reply = b""  # the reply that lets the bot go
        with contextlib.suppress(OSError):  # before Linux 6.6
            fcntl.ioctl(listener, SET_FLAGS, WAKE_HERE)

    def comes(self, wait_ms: float) -> bool:
        """Wait up to this many ms for the bot to come to the read hold; return whether it is held now."""
        if self._poll.poll(wait_ms) != self._arrival:
            return False
        try:
            self._reply = fcntl.ioctl(self.listener, RECEIVE, EMPTY)[:8] + GO_ON
        except OSError:  # a signal, or the bot's end, has interrupted the read
            return False
        self.holds = True
        return True

    def let_go(self) -> None:
        """Let the bot read on."""
        self.holds = False
        try:
            fcntl.ioctl(self.listener, SEND, self._reply)
        except OSError:  # the bot has ended; `BotProcess._wait` sees that
            return

    def ask(self, asks: int, line: bytes, answers: int, wait_ms: float) -> tuple[bytes, bytes]:
        """Do a normal exchange: write a line, let the bot go, wait until it comes back, and read its answer.

        Returns the rest of the line that was not written, and the answer: b"" if there is none yet.
        """
        try:
            rest = line[os.write(asks, line) :]
        except OSError:  # the bot does not read, or no more; the caller sees that under its watch
            return line, b""
        self.let_go()
        try:
            return rest, os.read(answers, CHUNK) if not rest and self.comes(wait_ms) else b""
        except BlockingIOError:
            return b"", b""
