"""A mail server of our own that can be told to refuse: for tests of what happens to email when it does.

python -m tests.servers.mail_server 2525 "451 try later"      answer every letter so, until stopped
"""

from __future__ import annotations

import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TAKEN = "250 taken"


class Session(socketserver.StreamRequestHandler):
    """One connection. It speaks as much of RFC 5321 as a client needs to deliver a message."""

    server: MailServer

    def handle(self) -> None:
        self.say("220 here")
        while line := self.rfile.readline().decode().strip():
            verb = line.split()[0].upper()
            if verb == "QUIT":
                self.say("221 bye")
                return
            self.say(self.answer_to(verb))

    def answer_to(self, verb: str) -> str:
        if verb == "RCPT":
            return self.server.answer
        if verb != "DATA":
            return "250 well"
        self.say("354 go on")
        letter = b"".join(iter(self.rfile.readline, b".\r\n"))
        self.server.letters.append(letter.decode())
        return TAKEN

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    """Answers each recipient with `answer` and keeps the `letters` that it accepts."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, port: int = 0, answer: str = TAKEN) -> None:
        super().__init__(("127.0.0.1", port), Session)
        self.answer = answer
        self.letters: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


@contextmanager
def running(answer: str = TAKEN) -> Iterator[MailServer]:
    """Provide a running mail server within the block."""
    with MailServer(answer=answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


if __name__ == "__main__":
    MailServer(int(sys.argv[1]), sys.argv[2]).serve_forever()
