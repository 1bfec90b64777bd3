// Ask: a question, its answer as it is written, and each sentence tied to the words that hold it.

import { here, Problem, told } from "./api.js";
import { drawAnswer } from "./answer.js";
import { el, fill, say } from "./dom.js";
import { askForm } from "./form.js";
import { busy, empty, wrong } from "./states.js";
import { t } from "./words.js";

export function ask(main, { rest, signal }) {
  const thread = el("div", { class: "thread" }, empty(t("ask.empty"), t("ask.empty.text")));
  let control = null;
  let any = false;

  async function put(question) {
    control?.abort();
    control = new AbortController();
    signal.addEventListener("abort", () => control.abort());
    const body = el("div", { class: "answer-body" });
    const turn = el("article", { class: "turn" }, el("h2", {}, question), body);
    if (!any) fill(thread);
    any = true;
    thread.prepend(turn);
    await answer(question, body, control.signal);
  }

  async function answer(question, body, stop) {
    const draft = el("p", { class: "draft" });
    const state = busy(t("ask.searching"));
    fill(body, state, draft);
    body.setAttribute("aria-busy", "true");
    say(t("ask.searching"));
    try {
      for await (const { event, data } of told("POST", here("/ask"), { body: { question, stream: true }, signal: stop })) {
        if (event === "delta") {
          draft.textContent += data.text;
          state.lastChild.textContent = t("ask.checking");
        } else if (event === "answer") {
          fill(body, drawAnswer(data));
          say(data.text);
          return;
        }
      }
      throw new Problem({ title: t("problem.ended"), detail: t("problem.ended.text") });
    } catch (problem) {
      if (problem.name === "AbortError") fill(body, el("p", { class: "muted" }, t("ask.stopped")));
      else fill(body, draft, wrong(problem, () => answer(question, body, stop)));
    } finally {
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
