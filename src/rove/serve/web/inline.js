// Markdown within a line: emphasis, code, links as words; the marks of references; and words that are kept as they stand.

import { el } from "./dom.js";

const OPEN = "\ufdd0"; // noncharacters, which no text may hold
const SHUT = "\ufdd1";
const KEPT = /\ufdd0(\d+)\ufdd1/g;
const TOKEN = /\\([!-/:-@[-`{-~])|(`+)|!?\[([^[\]]*)\]\(((?:[^()\s]|\([^()\s]*\))*)(?:\s+"[^"]*")?\)|\[(?:(\d{1,3})(≠?)\??|([?…]))\]|\ufdd0(\d+)\ufdd1|(\*+|_+)|[^\\`![*_\ufdd0]+|[^]/y;
const WORD = /[\p{L}\p{N}]/u;
const MOST_SIGNS = 3;

/** Words of a text that stay as they are, whatever signs stand in them: each a quotation, in the place where it stands. */
export class Kept {
  constructor(quotations = []) {
    this.words = [];
    const longest = [...new Set(quotations)].filter(Boolean).sort((a, b) => b.length - a.length);
    this.pattern = longest.length ? new RegExp(longest.map((words) => words.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g") : null;
  }

  /** The text with a place holder for each of them. */
  put(text) {
    const clean = text.replace(/[\ufdd0\ufdd1]/g, "\ufffd");
    return this.pattern ? clean.replace(this.pattern, (words) => `${OPEN}${this.words.push(words) - 1}${SHUT}`) : clean;
  }

  /** A text with its words back. */
  whole(text) {
    return text.replace(KEPT, (_, place) => this.words[place]);
  }
}

/** What to append for a text, in time proportional to its length. See `drawMarkdown`. */
export function inline(text, hooks) {
  const frames = [{ sign: "", inside: [] }];
  const shut = closers(text);
  const put = (piece) => add(frames.at(-1).inside, piece);
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const [whole, escaped, ticks, words, address, number, differs, sign, place, signs] = TOKEN.exec(text);
    let end = at + whole.length;
    if (escaped) put(escaped);
    else if (ticks) {
      const close = shut(ticks.length, at);
      if (close) end = close + ticks.length;
      put(close ? el("code", { dir: "ltr" }, hooks.kept.whole(bare(text.slice(at + ticks.length, close)))) : ticks);
    } else if (address !== undefined) for (const piece of link(words, address, hooks)) put(piece);
    else if (number) put(hooks.mark(Number(number), differs) ?? whole);
    else if (sign) put(hooks.mark(0, sign) ?? whole);
    else if (place) put(el("bdi", { class: "quote" }, hooks.kept.words[place]));
    else if (signs) emphasis(frames, signs, text[at - 1] ?? " ", text[end] ?? " ");
    else put(whole);
    at = end;
  }
  while (frames.length > 1) spill(frames);
  return frames[0].inside;
}

function add(inside, piece) {
  if (typeof piece === "string" && typeof inside.at(-1) === "string") inside[inside.length - 1] += piece;
  else inside.push(piece);
}

/** A link is its words, and its address for the eye: a page that is led to ask elsewhere would tell what it has read. */
function link(words, address, hooks) {
  const shown = hooks.kept.whole(address);
  if (!words || words === address) return [el("bdi", { class: "address", dir: "ltr" }, shown)];
  return [...inline(words, hooks), shown && " (", shown && el("bdi", { class: "address", dir: "ltr" }, shown), shown && ")"].filter(Boolean);
}

function bare(code) {
  const line = code.replaceAll("\n", " ");
  return line.startsWith(" ") && line.endsWith(" ") && line.trim() ? line.slice(1, -1) : line;
}

/** Where runs of so many backticks stand: (length, after) => place of the next one, or undefined. Each is looked at once. */
export function closers(text) {
  const runs = new Map();
  for (const { 0: { length }, index } of text.matchAll(/`+/g)) {
    if (!runs.has(length)) runs.set(length, { next: 0, places: [] });
    runs.get(length).places.push(index);
  }
  return (length, after) => {
    const run = runs.get(length);
    while (run && run.places[run.next] <= after) run.next += 1;
    return run?.places[run.next];
  };
}

/** Close what these signs close, then open what they open; of each sign one is open at a time, the others are text. */
function emphasis(frames, signs, before, after) {
  const [sign] = signs;
  const inWord = sign === "_" && WORD.test(before) && WORD.test(after);
  let left = signs.length > MOST_SIGNS || inWord ? 0 : signs.length;
  const literal = signs.length - left;
  if (literal) add(frames.at(-1).inside, signs);
  while (left && before.trim()) {
    const fits = (length) => frames.findLastIndex((frame) => frame.sign[0] === sign && length(frame.sign.length));
    const exact = fits((length) => length === left);
    const found = exact > 0 ? exact : fits((length) => length < left);
    if (found < 1) break;
    while (frames.length > found + 1) spill(frames);
    const { sign: own, inside } = frames.pop();
    add(frames.at(-1).inside, el(own.length === 2 ? "strong" : "em", {}, inside));
    left -= own.length;
  }
  while (left) {
    const own = sign.repeat(Math.min(2, left));
    if (after.trim() && frames.every((frame) => frame.sign !== own)) frames.push({ sign: own, inside: [] });
    else add(frames.at(-1).inside, own);
    left -= own.length;
  }
}

/** What was opened and never closed is text. */
function spill(frames) {
  const { sign, inside } = frames.pop();
  for (const piece of [sign, ...inside]) add(frames.at(-1).inside, piece);
}
