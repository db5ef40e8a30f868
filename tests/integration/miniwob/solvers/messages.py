"""Tasks in a mail box and in a stream of posts, where most buttons are images without a name."""

from __future__ import annotations

import re

from tests.integration.miniwob.agent import Agent
from tests.integration.miniwob.table import Row

from .registry import solves


@solves(
    "email-inbox",
    "email-inbox-delete",
    "email-inbox-forward",
    "email-inbox-important",
    "email-inbox-noscroll",
    "email-inbox-reply",
    "email-inbox-star-reply",
)
async def a_mail(agent: Agent) -> None:
    sender = agent.match_task(r"email by (\w+)")[0]
    if "trash" in agent.task:
        await agent.click(icon_after(agent, sender, "(trash)"))
    elif "star" in agent.task:
        await agent.click(icon_after(agent, sender, "(star)"))
    elif "reply" in agent.task:
        await open_mail(agent, sender, "Reply")
        await agent.type(agent.one("textbox"), agent.quoted[0])
        await agent.click(agent.one("click", "(send-reply)"))
    else:
        await open_mail(agent, sender, "Forward")
        await agent.type(agent.one("textbox"), agent.match_task(r"forward that email to (\w+)")[0])
        await agent.click(agent.one("click", "(send-forward)"))


def icon_after(agent: Agent, sender: str, name: str) -> Row:
    start = agent.where(lambda row: is_mail_of(sender, row))
    return next(row for row in agent.rows[start:] if row.name == name)


def is_mail_of(sender: str, row: Row) -> bool:
    """Whether a row of the list is a mail: it is named by its sender, its subject and how it begins."""
    return row.role == "click" and row.name.split()[:1] == [sender]


async def open_mail(agent: Agent, sender: str, way: str) -> None:
    await agent.click(agent.rows[agent.where(lambda row: is_mail_of(sender, row))])
    await agent.click(next(row for row in agent.all() if row.name.strip() == way))


@solves("social-media")
async def a_button_of_a_post(agent: Agent) -> None:
    user, what = agent.match_task(r'user (@\w+), click on the "(.*)" button')
    start = agent.where(lambda row: user in row.text.split())
    if what in ("Reply", "Retweet", "Like"):
        await agent.click(next(row for row in agent.rows[start:] if row.name == f"({what.lower()})"))
        return
    await agent.click(next(row for row in agent.rows[start:] if row.name == "(more)"))
    start = agent.where(lambda row: user in row.text.split())
    await agent.click(next(row for row in agent.rows[start:] if row.name.startswith(what)))


@solves("social-media-all", "social-media-some")
async def buttons_of_posts(agent: Agent) -> None:
    what, number, user = re.findall(r'Click the "(\w+)" button on (all|\d+) posts? by (@\w+)', agent.task)[0]
    posts = [index for index, row in enumerate(agent.rows) if user in row.text.split() and row.text != agent.task]
    for start in posts if number == "all" else posts[: int(number)]:
        await agent.click(next(row for row in agent.rows[start:] if row.name == f"({what.lower()})"))
    await agent.submit()
