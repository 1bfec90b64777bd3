// The server, called from its own page: every call goes to this origin, with the cookie of who has signed in, or the key in a header.

import { events } from "./events.js";
import { store } from "./store.js";
import { named, t } from "./words.js";

/** What the window hears when the server does not know who asks. */
export const UNKNOWN = "rove-unknown";
const TYPE = /^urn:rove:problem:([a-z-]+)$/;

/** What the server says went wrong (RFC 9457), its title in the reader's language; or what the page says: status 0. */
export class Problem extends Error {
  constructor({ type = "", status = 0, title = "", detail = "", cure = "", reasons = [] }, wait = "") {
    super(detail || title);
    const [, kind] = TYPE.exec(type) ?? [];
    const rest = kind === "unknown-key" ? {} : { detail, cure }; // how a program sends a key is nothing for a reader
    Object.assign(this, { status, kind, title: kind ? named("problem", kind, title) : title, detail: "", cure: "", reasons, wait }, rest);
  }
}

async function send(method, path, { body, form, accept, signal } = {}) {
  const headers = {};
  if (store.key) headers.Authorization = `Bearer ${store.key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (accept) headers.Accept = accept;
  let reply;
  try {
    const sent = form ?? (body === undefined ? undefined : JSON.stringify(body));
    reply = await fetch(path, { method, headers, signal, body: sent });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ title: t("problem.unreachable"), detail: t("problem.unreachable.detail") });
  }
  if (reply.ok) return reply;
  let told = { status: reply.status, title: reply.statusText };
  try {
    told = { ...told, ...(await reply.json()) };
  } catch {
    // not one of the server's own problems: the status says what there is to say
  }
  const problem = new Problem(told, reply.headers.get("Retry-After") ?? "");
  if (problem.kind === "unknown-key") dispatchEvent(new Event(UNKNOWN));
  throw problem;
}

/** The address of something in the space that is chosen. */
export function here(path, query = {}) {
  const asked = new URLSearchParams(query).toString();
  return `v1/spaces/${encodeURIComponent(store.space)}${path}${asked ? `?${asked}` : ""}`;
}

export async function get(path, signal) {
  return (await send("GET", path, { signal })).json();
}

/** All pages of a list, as one: `at` gives the address of a page by its query, `part` names what of a page is the list. */
export async function getAll(at, part, signal) {
  let told = await get(at({ limit: 1000 }), signal);
  const found = [...told[part]];
  while (told.next_cursor !== null) {
    told = await get(at({ limit: 1000, cursor: told.next_cursor }), signal);
    found.push(...told[part]);
  }
  return { ...told, [part]: found };
}

export async function post(path, body, signal) {
  const reply = await send("POST", path, { body, signal });
  return reply.status === 204 ? null : reply.json();
}

export async function change(path, body, signal) {
  return (await send("PATCH", path, { body, signal })).json();
}

export async function put(path, body, signal) {
  return (await send("PUT", path, { body, signal })).json();
}

export async function erase(path) {
  await send("DELETE", path);
}

/** A picture as an address of this page's own; let it go with URL.revokeObjectURL. */
export async function picture(path, signal) {
  return URL.createObjectURL(await (await send("GET", path, { signal })).blob());
}

/** Yield the events of a call; a problem that comes as an event is thrown. */
export async function* told(method, path, options = {}) {
  const reply = await send(method, path, { ...options, accept: "text/event-stream" });
  for await (const one of events(reply.body)) {
    if (one.event === "problem") throw new Problem(one.data);
    yield one;
  }
}
