// Questions to go on with, under the newest answer. Who chooses one asks it in the conversation that is open ("rove:ask").

import { here, post } from "./api.js";
import { el, fill } from "./dom.js";
import { t } from "./words.js";

const MOST_CHUNKS = 50;

/** Where they will stand; they are fetched once the answer is on the page, which is not slower for them. */
export function followUps(answer, { where } = {}) {
  const chunks = [...new Set(answer.sentences.flatMap(({ citations }) => citations.map(({ chunk_id }) => chunk_id)))].slice(0, MOST_CHUNKS);
  if (!chunks.length || answer.refused) return false;
  const host = el("section", { class: "follow-ups", hidden: true, "aria-label": t("answer.follow") });
  requestAnimationFrame(async () => {
    if (!host.isConnected || !isNewest(host)) return;
    const { questions } = await post(here("/follow_ups"), { question: answer.question, chunks, where }).catch(() => ({ questions: [] })); // an answer is whole without them
    if (questions.length) draw(host, questions, where);
  });
  return host;
}

function draw(host, questions, where) {
  const ask = (question) => () => {
    if (host.closest(".turn")) document.dispatchEvent(new CustomEvent("rove:ask", { detail: { question, where } }));
    else location.hash = `#/ask/${encodeURIComponent(question)}`;
  };
  const line = (question) => el("li", {}, el("button", { type: "button", class: "follow-up", on: { click: ask(question) } }, question));
  fill(host, el("h3", {}, t("answer.follow")), el("ul", {}, questions.map(line)));
  host.hidden = false;
}

/** Only the newest turn is gone on from. */
function isNewest(host) {
  const turn = host.closest(".turn");
  return !turn || turn === [...turn.parentElement.querySelectorAll(":scope > .turn")].at(-1);
}
