// A turn as markdown, to be pasted elsewhere: the text with its numbers, and the sources that they stand for.

import { fenced, literal, safeMarkdown } from "./safe_markdown.js";
import { placed, t } from "./words.js";

/** What is copied of a turn; of a walk, what its card shows: `host` is the turn as it is drawn. */
export function asMarkdown(entry, host) {
  if (entry.way === "search") return [`## ${literal(entry.question)}`, ...(entry.hits ?? []).map(passage)].join("\n\n");
  if (entry.sql) return [`## ${literal(entry.question)}`, literal(entry.sql.text), table(entry.sql), entry.sql.sql && fenced(entry.sql.sql, "sql")].filter(Boolean).join("\n\n");
  const answer = entry.answer ?? host.querySelector(".walk-card")?.answer;
  if (!answer) return `## ${literal(entry.question)}`;
  return [`## ${literal(entry.question)}`, safeMarkdown(answer.text), sources(answer)].filter(Boolean).join("\n\n");
}

function table({ columns, rows }) {
  const row = (cells) => `| ${cells.map(literal).join(" | ")} |`;
  return rows.length ? [columns, columns.map(() => "---"), ...rows].map(row).join("\n") : "";
}

function passage(hit, at) {
  const quoted = hit.rendered.text.trim().split("\n").map((text) => `> ${literal(text)}`).join("\n");
  return `${at + 1}. ${place(hit)}\n\n${quoted}`;
}

/** The sources that are cited, each by its number, once. */
function sources(answer) {
  const cited = new Map(answer.sentences.flatMap((one) => one.citations).map((one) => [one.number, one]));
  if (!cited.size) return "";
  const lines = [...cited].sort(([a], [b]) => a - b).map(([number, one]) => `[${number}] ${place(one)}`);
  return `${t("conversation.sources")}\n${lines.join("\n")}`;
}

function place({ title, source, page, time }) {
  const named = [title, source.toLowerCase() !== title.toLowerCase() && source].filter(Boolean).map(literal);
  return [...named, placed({ page, time })].filter(Boolean).join(", ");
}
