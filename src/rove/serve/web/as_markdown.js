// A turn as markdown, to be pasted elsewhere: the text with its numbers, and the sources that they stand for.

import { t } from "./words.js";

/** What is copied of a turn; of a walk, what its card shows: `host` is the turn as it is drawn. */
export function asMarkdown(entry, host) {
  if (entry.way === "search") return [`## ${line(entry.question)}`, ...(entry.hits ?? []).map(passage)].join("\n\n");
  if (entry.sql) return [`## ${line(entry.question)}`, entry.sql.text, table(entry.sql), entry.sql.sql && `\`\`\`sql\n${entry.sql.sql}\n\`\`\``].filter(Boolean).join("\n\n");
  const answer = entry.answer ?? host.querySelector(".walk-card")?.answer;
  if (!answer) return `## ${line(entry.question)}`;
  return [`## ${line(entry.question)}`, answer.text, sources(answer)].filter(Boolean).join("\n\n");
}

function table({ columns, rows }) {
  const row = (cells) => `| ${cells.map((cell) => line(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return rows.length ? [columns, columns.map(() => "---"), ...rows].map(row).join("\n") : "";
}

function passage(hit, at) {
  const quoted = hit.rendered.text.trim().split("\n").map((text) => `> ${text}`).join("\n");
  return `${at + 1}. ${place(hit)}\n\n${quoted}`;
}

/** The sources that are cited, each by its number, once. */
function sources(answer) {
  const cited = new Map(answer.sentences.flatMap((one) => one.citations).map((one) => [one.number, one]));
  if (!cited.size) return "";
  const lines = [...cited].sort(([a], [b]) => a - b).map(([number, one]) => `[${number}] ${place(one)}`);
  return `${t("conversation.sources")}\n${lines.join("\n")}`;
}

function place({ title, source, page }) {
  const named = [title, source.toLowerCase() !== title.toLowerCase() && source].filter(Boolean).map(line);
  return [...named, page && t("source.page", { page })].filter(Boolean).join(", ");
}

function line(text) {
  return text.replace(/\s+/g, " ").trim();
}
