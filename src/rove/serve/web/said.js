// What the server says in sentences of its own, of problems too, in the reader's language: `lang/sentences.json` has them by the English.

import { el } from "./dom.js";

const SLOT = /\{(\w+)\}/g;
const ENGLISH = new Set(["more", "reason"]); // slots that hold further words of the server's
const QUOTED = "('.*?'|\".*?\")";
const SHAPES = {
  condition: "(.+)",
  found: "(.+?)",
  flow: QUOTED,
  given: QUOTED,
  key: QUOTED,
  known: "(.+)",
  mode: QUOTED,
  more: "((?: and \\d+ more)?)",
  MOST_NAMED: "(.+)",
  name: "(.+?)",
  named: "('.*'|\".*\")",
  names: "(.+)",
  other: "(.+?)",
  own: "(.+)",
  pipeline: "(.+?)",
  question_id: QUOTED,
  reason: "([^]+)",
  reference: "(\\$.+?)",
  right: QUOTED,
  setting: "(\\S+)",
  use: "(.+)",
  used: QUOTED,
  value: "(.+?)",
  wanted: "(.+?)",
  way: "(.+)",
  what: "(\\w+)",
};
const NUMBER = "([\\d.,]+ ?%?)";
let sentences = [];

/** Fetch the sentences in a language; English ones stand as they came. */
export async function learn(language) {
  const reply = language === "en" ? null : await fetch("web/lang/sentences.json");
  sentences = reply?.ok ? Object.entries(await reply.json()).map(([english, told]) => sentence(english, told[language])) : [];
}

function sentence(english, told) {
  const plain = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  const pattern = plain.replace(SLOT, (_, slot) => SHAPES[slot] ?? NUMBER);
  return { pattern: new RegExp(`${pattern}\\s*`, "y"), slots: [...english.matchAll(SLOT)].map(([, slot]) => slot), told };
}

/** Draw what the server said: its known sentences in the reader's language, all else as it came, marked as English. */
export function said(text) {
  const parts = [];
  let at = 0;
  while (at < text.length) {
    const found = match(text, at);
    if (!found) break;
    parts.push(...found.parts, " ");
    at = found.end;
  }
  if (at < text.length) parts.push(el("span", { lang: "en" }, text.slice(at)));
  return el("span", {}, parts);
}

function match(text, at) {
  for (const { pattern, slots, told } of sentences) {
    pattern.lastIndex = at;
    const held = pattern.exec(text);
    if (!held) continue;
    const end = pattern.lastIndex; // what a slot holds may be read by the same pattern
    const values = Object.fromEntries(slots.map((slot, place) => [slot, held[place + 1]]));
    return { parts: told.split(/(\{\w+\})/).filter(Boolean).flatMap((part) => filled(part, values)), end };
  }
  return null;
}

function filled(part, values) {
  const slot = part.slice(1, -1);
  if (!part.startsWith("{")) return part;
  return ENGLISH.has(slot) ? [...said(values[slot]).childNodes] : values[slot];
}
