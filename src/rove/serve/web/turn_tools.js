// What can be done with a turn: copied, shared, edited and asked again, judged.

import { post } from "./api.js";
import { asMarkdown } from "./as_markdown.js";
import { copyText } from "./clipboard.js";
import { conversationAt } from "./conversations.js";
import { el, fill, labelled, say } from "./dom.js";
import { iconButton } from "./icons.js";
import { wrong } from "./states.js";
import { t } from "./words.js";

const DONE_MS = 1_600;

/** The tools of a turn that is over. `room`: see `turnOf`, and the turn's `top`, `heading` and `host`. */
export function drawTools(entry, room) {
  const told = el("span", { class: "told-here small muted", "aria-hidden": "true" });
  const trouble = el("div");
  const tell = (text) => {
    say(text);
    told.textContent = text;
    setTimeout(() => (told.textContent = ""), DONE_MS);
  };
  const copy = async () => tell(t((await copyText(asMarkdown(entry, room.host))) ? "conversation.copied" : "conversation.not-copied"));
  const share = async () => tell(t((await copyText(addressOf(room.id, entry.number))) ? "conversation.shared" : "conversation.not-copied"));
  const edit = () => editQuestion(entry, room);
  return [
    el(
      "div",
      { class: "turn-tools", role: "group", "aria-label": t("conversation.tools", { number: entry.number }) },
      entry.state === "done" && iconButton("copy", t("conversation.copy"), copy),
      entry.state !== "refused" && iconButton("share", t("conversation.share"), share),
      iconButton("edit", t("conversation.edit"), edit),
      entry.state === "done" && drawThumbs(entry, room, trouble),
      told,
    ),
    trouble,
  ];
}

/** Where a turn stands, as an address that can be opened. */
function addressOf(id, number) {
  return `${location.origin}${location.pathname}#/c/${encodeURIComponent(id)}/${number}`;
}

/** Put a form in the place of the question; what is asked anew takes the place of this turn, and of all after it. */
function editQuestion(entry, room) {
  const field = el("textarea", { rows: 2, value: entry.question });
  const [name, input] = labelled(t("conversation.edit-label"), field);
  name.className = "hidden";
  const back = () => {
    form.remove();
    room.heading.classList.remove("hidden");
    room.host.querySelector(`.turn-tools [aria-label="${CSS.escape(t("conversation.edit"))}"]`)?.focus();
  };
  const send = () => {
    const text = field.value.trim();
    if (text) room.edit(entry, text);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  const submit = (event) => {
    event.preventDefault();
    send();
  };
  const last = !room.host.nextElementSibling;
  const form = el(
    "form",
    { class: "edit-form", on: { submit } },
    name,
    input,
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("conversation.ask-again")), el("button", { type: "button", class: "quiet", on: { click: back } }, t("conversation.cancel")), !last && el("span", { class: "small muted" }, t("conversation.edit-note"))),
  );
  room.heading.classList.add("hidden");
  fill(room.top, room.heading, form);
  field.focus();
}

/** Thumbs, and room for a word about it. */
function drawThumbs(entry, room, trouble) {
  const state = { judgement: entry.judgement ?? "", comment: entry.comment ?? "" };
  const thumbs = ["up", "down"].map((name) => iconButton(name, t(`conversation.${name}`), () => judge(state.judgement === name ? "" : name)));
  const mark = () => thumbs.forEach((one, place) => one.setAttribute("aria-pressed", String(state.judgement === ["up", "down"][place])));

  async function send(change) {
    const path = conversationAt(room.id, `/turns/${entry.number}/feedback`);
    try {
      await post(path, { ...state, ...change });
      Object.assign(state, change);
      Object.assign(entry, change);
      mark();
      return true;
    } catch (problem) {
      fill(trouble, wrong(problem));
      return false;
    }
  }

  async function judge(judgement) {
    if (!(await send({ judgement, ...(!judgement && { comment: "" }) }))) return;
    fill(trouble, judgement && drawComment());
    say(t(judgement ? "conversation.thanks" : "conversation.taken-back"));
  }

  function drawComment() {
    const field = el("textarea", { rows: 2, maxlength: 2000, value: state.comment });
    const submit = async (event) => {
      event.preventDefault();
      if (!(await send({ comment: field.value.trim() }))) return;
      fill(trouble, el("p", { class: "small muted" }, t("conversation.thanks")));
      say(t("conversation.thanks"));
    };
    const close = () => (fill(trouble), thumbs[state.judgement === "up" ? 0 : 1].focus());
    return el(
      "form",
      { class: "plain comment", on: { submit, keydown: (event) => event.key === "Escape" && close() } },
      labelled(t("conversation.comment"), field),
      el("div", { class: "row" }, el("button", { type: "submit" }, t("conversation.send")), el("button", { type: "button", class: "quiet", on: { click: close } }, t("conversation.no-comment"))),
    );
  }

  mark();
  return thumbs;
}
