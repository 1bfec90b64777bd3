// A hint under an answer: the question counts, sums or orders the rows of a table, which "Data" can do and quotations cannot.

import { here, post } from "./api.js";
import { askable } from "./askable.js";
import { el, fill } from "./dom.js";
import { t } from "./words.js";

const OVER_ROWS = /\b(?:COUNT|SUM|AVG|MIN|MAX)\s*\(|\bORDER BY\b|\bGROUP BY\b/i;
const MOST_PLACES = 3;

/** Where it will stand; the rules are asked, and no chat model, once the answer is on the page. */
export function dataHint(question, { where } = {}) {
  const host = el("p", { class: "data-hint small", hidden: true });
  requestAnimationFrame(async () => {
    if (!host.isConnected || !host.closest(".turn")) return;
    for (const [database] of (await askable()).slice(0, MOST_PLACES)) {
      const wanted = { question, tables: !database, database, dry_run: true, by_rules: true, where: database ? undefined : where };
      const reply = await post(here("/sql"), wanted).catch(() => null); // an answer is whole without it
      if (reply && OVER_ROWS.test(reply.sql) && !reply.not_understood.length) return draw(host, question, reply, { database, where });
    }
  });
  return host;
}

function draw(host, question, reply, { database, where }) {
  const ask = () => document.dispatchEvent(new CustomEvent("rove:ask", { detail: { way: "database", question, database, where: database ? undefined : where } }));
  fill(host, t("sql.hint", { table: reply.tables.join(", ") || reply.database }), " ", el("button", { type: "button", on: { click: ask } }, t("sql.hint.ask", { way: t("ask.way.database") })));
  host.hidden = false;
}
