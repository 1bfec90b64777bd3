// The field that a question is written in: Enter sends it, Shift and Enter begins a line.

import { el, labelled } from "./dom.js";

export function askForm({ label, button, hint, onAsk, extra = [], value }) {
  const field = el("textarea", { rows: 2, value: value ?? "", autocomplete: "off", placeholder: hint });
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  const send = () => {
    if (field.value.trim()) onAsk(field.value.trim());
  };
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return; // composing: Enter chooses a character
    event.preventDefault();
    send();
  });
  const [name, input] = labelled(label, field);
  name.className = "hidden";
  const submit = (event) => {
    event.preventDefault();
    send();
  };
  const row = el("div", { class: "ask-row" }, extra, el("button", { type: "submit", class: "main" }, button));
  return el("form", { class: "ask-form", on: { submit } }, name, input, row);
}
