// Add: drop files, or give an address or a text, and watch them go through the stages.

import { el, fill, labelled } from "./dom.js";
import { takeDrops } from "./drop.js";
import { empty } from "./states.js";
import { store } from "./store.js";
import { dropZone, uploads } from "./uploads.js";
import { t } from "./words.js";

export function add(main, { signal }) {
  if (!store.may("add")) {
    takeDrops(() => {}, signal);
    fill(main, el("h1", {}, t("add.title")), empty(t("add.refused"), t("add.refused.text")));
    return;
  }
  const access = el("input", { autocomplete: "off", placeholder: "staff, board" });
  const labels = () => access.value.split(",").map((label) => label.trim()).filter(Boolean);
  const { place, hand, files } = uploads({ signal, labels });
  fill(main, el("h1", {}, t("add.title")), dropZone(files), place, el("hr"), textForm(hand, labels, access));
  takeDrops(files, signal);
}

function textForm(hand, labels, access) {
  const address = el("input", { type: "url", autocomplete: "off", placeholder: "https://" });
  const title = el("input", { maxlength: 200, autocomplete: "off" });
  const text = el("textarea", { rows: 4 });
  const submit = (event) => {
    event.preventDefault();
    if (address.value) hand(address.value, "/documents", { body: { url: address.value, access: labels() } });
    if (text.value.trim()) hand(title.value || t("add.text"), "/documents", { body: { text: text.value, title: title.value, name: title.value, access: labels() } });
    for (const field of [address, title, text]) field.value = "";
  };
  return el(
    "form",
    { class: "plain", on: { submit } },
    labelled(t("add.address"), address),
    labelled(t("add.text"), text),
    labelled(t("add.name"), title),
    labelled(t("add.access"), access),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, t("add.button"))),
  );
}
