// Ask: a question, its answer as it is written, and each sentence tied to the words that hold it.

import { here, Problem, told } from "./api.js";
import { drawAnswer, drawDraft } from "./answer.js";
import { el, fill, say } from "./dom.js";
import { askForm } from "./form.js";
import { busy, empty, wrong } from "./states.js";
import { t } from "./words.js";

export function ask(main, { rest, signal }) {
  const thread = el("div", { class: "thread" }, empty(t("ask.empty"), t("ask.empty.text")));
  let control = null;
  let any = false;
  signal.addEventListener("abort", () => control?.abort());

  async function put(question) {
    const body = el("div", { class: "answer-body" });
    const turn = el("article", { class: "turn" }, el("h2", {}, question), body);
    if (!any) fill(thread);
    any = true;
    thread.prepend(turn);
    await answer(question, body);
  }

  async function answer(question, body) {
    control?.abort();
    const mine = new AbortController();
    control = mine;
    const draft = growing();
    const state = busy(t("ask.searching"));
    const stop = () => {
      mine.abort();
      main.querySelector("textarea").focus();
    };
    fill(body, el("div", { class: "row" }, state, el("button", { type: "button", on: { click: stop } }, t("ask.stop"))), draft.host);
    body.setAttribute("aria-busy", "true");
    say(t("ask.searching"));
    try {
      for await (const { event, data } of told("POST", here("/ask"), { body: { question, stream: true }, signal: mine.signal })) {
        if (event === "delta") {
          draft.add(data.text);
          state.lastChild.textContent = t("ask.checking");
        } else if (event === "answer") {
          fill(body, drawAnswer(data));
          say(data.text);
          return;
        }
      }
      throw new Problem({ title: t("problem.ended"), detail: t("problem.ended.text") });
    } catch (problem) {
      const stopped = problem.name === "AbortError";
      const incomplete = draft.text() && ` ${t("problem.ended.text")}`;
      if (stopped) say(t("ask.stopped"));
      fill(body, draft.host, stopped ? el("p", { class: "muted" }, t("ask.stopped"), incomplete) : wrong(problem, () => answer(question, body)));
    } finally {
      draft.settle();
      body.removeAttribute("aria-busy");
    }
  }

  fill(
    main,
    el("h1", {}, t("ask.title")),
    askForm({ label: t("ask.label"), button: t("ask.button"), hint: t("ask.hint"), onAsk: put, value: rest[0] }),
    thread,
  );
}

/** A text of which sentences are still to come; it is drawn once for what comes between two pictures of the screen. */
function growing() {
  const host = el("div", { class: "draft" });
  let text = "";
  let asked = 0;
  const draw = () => {
    asked = 0;
    drawDraft(host, text);
  };
  return {
    host,
    text: () => text,
    add(piece) {
      text += piece;
      asked ||= requestAnimationFrame(draw);
    },
    settle() {
      cancelAnimationFrame(asked);
      draw();
    },
  };
}
