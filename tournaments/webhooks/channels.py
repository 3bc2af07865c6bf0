"""Where messages go: to a program, or to a room of Discord, Slack or Matrix, whose address somebody has pasted.

A channel is a class. It says which addresses are its own, what a message looks like there, and which answer means that
the room is gone. The address of a room is its only secret, so it is shown shortened.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from django.db import models
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from games.common.outgoing_http import clean_url

SHOWN_CHARACTERS: Final = 4  # of the end of a secret address


class ChannelKind(models.TextChoices):
    """The channels, as they are stored."""

    PROGRAM = "program", gettext_lazy("a program")
    DISCORD = "discord", "Discord"
    SLACK = "slack", "Slack"
    MATRIX = "matrix", "Matrix"


class Channel:
    """A program: it gets JSON data as they are, signed, and its address is no secret.

    `hosts` and `path` are those of its addresses, `example` is the beginning of one, and `gone` are the statuses of an
    answer that says that there is no such receiver any more.
    """

    kind: ClassVar[ChannelKind] = ChannelKind.PROGRAM
    hosts: ClassVar[tuple[str, ...]] = ()
    path: ClassVar[re.Pattern[str]] = re.compile("(/.*)?")
    example: ClassVar[str] = "https://"
    gone: ClassVar[tuple[int, ...]] = (410,)
    signed: ClassVar[bool] = True

    @classmethod
    def fits(cls, url: str) -> bool:
        """Return whether `url` is an address of this channel."""
        parts = urlsplit(url)
        return (not cls.hosts or parts.hostname in cls.hosts) and bool(cls.path.fullmatch(parts.path))

    @classmethod
    def shown(cls, url: str) -> str:
        """Return the address as it is shown: of a secret one, where it leads and its last characters."""
        if cls.signed:
            return url
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}/…{url[-SHOWN_CHARACTERS:]}"

    @classmethod
    def body(cls, payload: dict[str, Any], text: str, link: str) -> dict[str, Any]:  # noqa: ARG003
        """Return a message with this `payload`, for a reader the sentence `text`, which leads to `link`."""
        return payload


class ChatChannel(Channel):
    """A room in which people read."""

    signed = False
    gone = (404, 410)


class Discord(ChatChannel):
    """Execute Webhook (discord.com/developers/docs/resources/webhook). Names cannot call anybody (`allowed_mentions`)
    nor format the text."""

    kind = ChannelKind.DISCORD
    hosts = ("discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com")
    path = re.compile(r"/api/(v\d+/)?webhooks/\d+/[\w-]+")
    example = "https://discord.com/api/webhooks/"
    MARKUP: Final = re.compile(r"([\\`*_~|>\[\]()#-])")

    @classmethod
    def body(cls, payload: dict[str, Any], text: str, link: str) -> dict[str, Any]:  # noqa: ARG003
        words = cls.MARKUP.sub(r"\\\1", text)
        return {"content": f"{words}\n<{link}>" if link else words, "allowed_mentions": {"parse": []}}


class Slack(ChatChannel):
    """Incoming webhooks (api.slack.com/messaging/webhooks). Three characters are escaped in mrkdwn."""

    kind = ChannelKind.SLACK
    hosts = ("hooks.slack.com",)
    path = re.compile(r"/(services|workflows|triggers)/[\w/-]+")
    example = "https://hooks.slack.com/services/"

    @classmethod
    def body(cls, payload: dict[str, Any], text: str, link: str) -> dict[str, Any]:  # noqa: ARG003
        words = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return {"text": f"{words} <{link}|{_('Open')}>" if link else words}


class Matrix(ChatChannel):
    """A generic webhook of Hookshot, the bridge of matrix.org, on any server."""

    kind = ChannelKind.MATRIX
    path = re.compile(r"/(.*/)?webhook/[\w-]{8,}/?")
    example = "https://matrix.example/webhook/"

    @classmethod
    def body(cls, payload: dict[str, Any], text: str, link: str) -> dict[str, Any]:  # noqa: ARG003
        html = f'{escape(text)} <a href="{escape(link)}">{escape(_("Open"))}</a>' if link else escape(text)
        return {"text": f"{text} {link}".strip(), "html": html}


CHANNELS: Final[dict[str, type[Channel]]] = {each.kind: each for each in (Channel, Discord, Slack, Matrix)}


def channel_of(url: str, wanted: str = "") -> tuple[type[Channel], str]:
    """Return the channel of an address, and the address as it is stored. A room of Discord or Slack is recognised by
    its host; Matrix is `wanted`, because it may be on any server.

    Raises `DomainError` bad_url (400) if messages must not be sent there, or not in this way.
    """
    url = clean_url(url)
    host = urlsplit(url).hostname
    by_host = next((each for each in CHANNELS.values() if host in each.hosts), None)
    channel = CHANNELS[wanted] if wanted else by_host or Channel
    if not channel.fits(url) or (by_host is not None and channel is not by_host):
        shown = (by_host or channel) if channel is Channel else channel
        sentence = _("This is not the address of a room in {channel}. Such an address begins with {example}.")
        sentence = sentence.format(channel=shown.kind.label, example=shown.example)
        raise DomainError(400, "bad_url", sentence, "url")
    return channel, url


def body_text(body: dict[str, Any]) -> str:
    """Return a message's data as they are sent."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=True)
