// What else the documents say beside the newest answer, as questions. One that is chosen is asked in the conversation that is open ("rove:ask").

import { here, post } from "./api.js";
import { el, fill } from "./dom.js";
import { t } from "./words.js";

const MOST_CITED = 200;

/** Where they will stand: those that the answer has, or else those that are fetched once it is on the page, which is not slower for them. */
export function relatedOf(answer, { where } = {}) {
  const cited = answer.sentences.flatMap(({ citations }) => citations.map(({ chunk_id, span }) => ({ chunk_id, span }))).slice(0, MOST_CITED);
  if (!cited.length || answer.refused) return false;
  const host = el("section", { class: "related", hidden: true, "aria-label": t("answer.related") });
  if (answer.related?.length) draw(host, answer.related, where);
  else
    requestAnimationFrame(async () => {
      if (!host.isConnected || !isNewest(host)) return;
      const { related } = await post(here("/related"), { question: answer.question, cited, where }).catch(() => ({ related: [] })); // an answer is whole without them
      if (related.length) draw(host, related, where);
    });
  return host;
}

function draw(host, related, where) {
  const ask = (question) => () => {
    if (host.closest(".turn")) document.dispatchEvent(new CustomEvent("rove:ask", { detail: { question, where } }));
    else location.hash = `#/ask/${encodeURIComponent(question)}`;
  };
  const line = ({ question, title }) => el("li", {}, el("button", { type: "button", class: "related-question", title, on: { click: ask(question) } }, question));
  fill(host, el("h3", {}, t("answer.related")), el("ul", {}, related.map(line)));
  host.hidden = false;
}

/** Only the newest turn is gone on from. */
function isNewest(host) {
  const turn = host.closest(".turn");
  return !turn || turn === [...turn.parentElement.querySelectorAll(":scope > .turn")].at(-1);
}
