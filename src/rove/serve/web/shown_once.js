// Something secret that is shown once: a link or a key, to be copied, and put away.

import { copyText } from "./clipboard.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./words.js";

/** A card that shows it; `done()` puts it away. It takes the focus when it is drawn into the page. */
export function shownOnce(title, text, secret, { done, more } = {}) {
  const field = el("input", { readonly: true, value: secret, class: "secret", "aria-label": title, on: { focus: () => field.select() } });
  const told = el("span", { role: "status", class: "small" });
  const copy = async () => fill(told, t((await copyText(secret)) ? "conversation.copied" : "conversation.not-copied"));
  const close = el("button", { type: "button", on: { click: () => (card.remove(), done?.()) } }, t("once.done"));
  const card = el(
    "section",
    { class: "card once", "aria-label": title, tabindex: "-1" },
    el("h2", {}, title),
    el("p", { class: "small" }, text),
    el("div", { class: "once-row" }, field, el("button", { type: "button", class: "main", on: { click: copy } }, icon("copy"), t("conversation.copy"))),
    el("div", { class: "row" }, more, done && close, told),
  );
  return card;
}
