/** The entry of an introduction: the table of a kind, played against a script. */

import { mount } from "svelte";
import type { Board } from "../boards/contract";
import { TableController } from "../table/controller.svelte";
import { browser } from "../table/start";
import Table from "../table/Table.svelte";
import type { Introduction, Page, Replay } from "../types";
import Coach from "./Coach.svelte";
import { Lesson, lessonWorld, type Server } from "./lesson.svelte";

function serverAt(address: string): Server {
  return {
    async ask(step, made, since, move) {
      const asked = new URLSearchParams({ step: String(step), since: String(since) });
      for (const each of made) asked.append("made", each);
      if (move !== undefined) asked.set("move", move);
      const answer = await fetch(`${address}?${asked}`, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(`The step was refused with ${answer.status}.`);
      return (await answer.json()) as Introduction;
    },
  };
}

export function start(target: HTMLElement, replay: Replay, page: Page, board: Board): void {
  if (!page.lesson) return;
  const lesson = new Lesson(page.lesson, serverAt(page.lesson.address));
  const controller = new TableController(replay, board, lessonWorld(lesson, browser));
  lesson.table = controller;
  target.classList.add("attable");
  const coach = { View: Coach, lesson };
  mount(Table, { target, props: { controller, board, page, told: () => undefined, coach } });
}
