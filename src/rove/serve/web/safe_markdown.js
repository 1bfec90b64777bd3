// Words of documents and models in Markdown that is pasted elsewhere: none of it becomes HTML, a picture or a trap.
// The same as language/safe_markdown.py, which says why.

import { closers } from "./inline.js";

const SPACE = /\s+/g;
const SIGN = /<(?![\s\d=]|$)|&(?=#?[\p{L}\p{N}_]+;)|(?<=\])\(|[\\`*[\]~|]|(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu;
const START = /^(?:(\d{1,9})[.)](?=\s|$)|(?:>|(?:#{1,6}|[-+]+|=+)(?=\s|$)))/;
const CODED = { "<": "&lt;", "&": "&amp;" };
const FENCE = /^( *)(`{3,}|~{3,})[ \t]*([^`]*)$/;
const INFO = /^[\p{L}\p{N}_+#.-]*$/u;
const CONTAINER = /^[ \t]*(?:[-+*>]|\d{1,9}[.)])/;
const UNDERLINE = /^([ \t>]*)((?:=+|-+)[ \t]*)$/;
const HEADING = /^((?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(#{1,6})(?=[ \t]|$)/;
const MARKED = /\\[!-/:-@[-`{-~]|`+|~{3,}|!\[|\]\((?!https?:\/\/|mailto:)|\]:|<(?![\s\d=]|$)/gi;
const MADE_PLAIN = { "![": "!\\[", "](": "]\\(", "]:": "]\\:", "<": "&lt;", "\\<": "&lt;" };
const PIPE = /(?<!\\)\|/;
const DEEPEST = 3; // blanks before a fence that is in no list
const DEMOTED = 2; // an answer stands under headings of two levels

/** Words on one line, so that Markdown shows them as they stand. */
export function literal(text) {
  const line = text.replaceAll("\0", "\ufffd").replace(SPACE, " ").trim().replace(SIGN, (sign) => CODED[sign] ?? `\\${sign}`);
  const found = START.exec(line);
  const at = found?.[1]?.length ?? 0;
  return found ? `${line.slice(0, at)}\\${line.slice(at)}` : line;
}

/** Code in a fence that nothing in it closes. */
export function fenced(code, info = "") {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${info}\n${code}\n${fence}`;
}

/** Markdown with its layout and its code, and nothing that acts: its headings stand below those around it. */
export function safeMarkdown(text) {
  const lines = text.replaceAll("\0", "\ufffd").split(/\r\n|\r|\n/);
  const out = [];
  let above = "";
  let nested = false;
  for (let at = 0, end; at < lines.length; at = end) {
    const line = lines[at];
    if ((end = fenceEnd(lines, at, nested))) out.push(...fence(lines.slice(at, end)));
    else if (!above.trim() && !nested && (end = indentedEnd(lines, at))) out.push(fenced(lines.slice(at, end).map((one) => spaced(one).slice(4)).join("\n")));
    else {
      nested = CONTAINER.test(line) || (nested && !(/^\S/.test(line) && !above.trim()));
      out.push(safeLine(line, above));
      end = at + 1;
    }
    above = lines[end - 1];
  }
  return out.join("\n");
}

function fenceEnd(lines, at, nested) {
  const opened = FENCE.exec(lines[at]);
  if (!opened || (opened[1].length > DEEPEST && !nested)) return 0;
  const [, margin, sign] = opened;
  for (let place = at + 1; place < lines.length; place += 1) {
    const line = lines[place];
    if (closes(line, margin, sign)) return place + 1;
    if (margin && (sign[0] === "~" || line.includes("```") || (line.trim() && !line.startsWith(margin)))) return 0;
  }
  return margin ? 0 : lines.length;
}

function closes(line, margin, sign) {
  const run = line.replace(/^ */, "");
  const at = line.length - run.length;
  const bare = run.trimEnd();
  return (margin ? at === margin.length : at <= DEEPEST) && run.startsWith(sign) && bare === sign[0].repeat(bare.length);
}

function fence(lines) {
  const [, margin, sign, words] = FENCE.exec(lines[0]);
  const info = words.split(" ")[0];
  const shut = lines.length > 1 && closes(lines.at(-1), margin, sign);
  return [`${margin}${sign}${INFO.test(info) ? info : ""}`, ...lines.slice(1), ...(shut ? [] : [sign])];
}

function indentedEnd(lines, at) {
  let end = 0;
  for (let place = at; place < lines.length; place += 1) {
    if (lines[place].trim()) {
      if (!spaced(lines[place]).startsWith("    ")) break;
      end = place + 1;
    } else if (!end) break;
  }
  return end;
}

function spaced(line) {
  let column = 0;
  return line.replace(/\t|[^\t]/gu, (sign) => {
    const wide = sign === "\t" ? 4 - (column % 4) : 1;
    column += wide;
    return sign === "\t" ? " ".repeat(wide) : sign;
  });
}

function safeLine(line, above) {
  const under = above.trim() && UNDERLINE.exec(line);
  if (under) return `${under[1]}\\${under[2]}`;
  const found = HEADING.exec(line);
  if (!found) return inline(line);
  return inline(`${found[1]}${"#".repeat(Math.min(6, found[2].length + DEMOTED))}${line.slice(found[0].length)}`);
}

/** A line; backticks that enclose no code on it are text. `torn`: as a row of a table, code could be cut. */
function inline(line, torn = false) {
  const shut = closers(line);
  let out = "";
  let at = 0;
  for (let found; (found = next(line, at)); ) {
    const [sign] = found;
    out += line.slice(at, found.index);
    at = found.index + sign.length;
    const ticks = sign[0] === "`";
    const close = ticks ? shut(sign.length, found.index) : undefined;
    const code = close === undefined ? "" : line.slice(at, close);
    if (!torn && PIPE.test(code)) return inline(line, true);
    if (code && !(torn && next(code, 0))) {
      at = close + sign.length;
      out += `${sign}${code}${sign}`;
    } else out += ticks || sign[0] === "~" ? `\\${sign[0]}`.repeat(sign.length) : (MADE_PLAIN[sign] ?? sign);
  }
  return out + line.slice(at);
}

function next(line, at) {
  MARKED.lastIndex = at;
  return MARKED.exec(line);
}
