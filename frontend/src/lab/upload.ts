/** Sends a file to admission, through the same API as every program. */

import { _ } from "../gettext";
import { cookie } from "../table/cookie";

export interface Bots {
  /** The address of the list of bots in the API. */
  api: string;
  /** The names of the reader's own bots. */
  own: string[];
}

interface ApiError {
  error?: { sentence?: string };
}

async function post<T>(address: string, type: string, body: string): Promise<T> {
  const headers = { Accept: "application/json", "Content-Type": type, "X-CSRFToken": cookie("csrftoken") };
  const answer = await fetch(address, { method: "POST", headers, body }).catch(() => null);
  if (!answer) throw new Error(_("The server does not answer. Your text is kept here. Try again later."));
  const json = (await answer.json().catch(() => ({}))) as T & ApiError;
  if (!answer.ok)
    throw new Error(json.error?.sentence ?? _("The server refused the file. Your text is kept here. Try again later."));
  return json;
}

/** Upload a file as the next version of a bot, which is made if there is none; return the address of its page. */
export async function upload(bots: Bots, name: string, source: string): Promise<string> {
  if (!bots.own.includes(name)) {
    const made = await post<{ name: string }>(bots.api, "application/json", JSON.stringify({ name }));
    bots.own.push(made.name);
    name = made.name;
  }
  const address = `${bots.api}${encodeURIComponent(name)}/versions/`;
  return (await post<{ page: string }>(address, "text/x-python", source)).page;
}
