// The box that everything is asked in: its words, the way of answering, more that can be said; and its draft, which is kept.

import { askable } from "./askable.js";
import { el, fill, labelled } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { options } from "./options.js";
import { both, scopeOf } from "./scope.js";
import { store } from "./store.js";
import { t } from "./words.js";

let made = 0;

/**
 * Make a box: {form, focus, work, keepAs, put, way}. `id`: of the conversation whose draft it holds. `onAsk({way, question, …})`
 * is called with what is asked; while `work(true)` holds, the button stops instead: `onStop`.
 */
export function askBox({ id = "", value = "", way = store.way, onAsk, onStop }) {
  const seat = { id, way, working: false };
  const field = el("textarea", { rows: 1, autocomplete: "off", value: value || store.draft(id) });
  const [name, input] = labelled(t("ask.label"), field);
  name.className = "hidden";
  const more = options();
  const toggle = iconButton("more", t("ask.more"), () => open(more.host.hidden), "more-button");
  const from = el("select", { class: "from", "aria-label": t("sql.from"), hidden: true });
  const send = el("button", { type: "submit", class: "main send" });
  const place = el("div");
  const scope = scopeOf(place, { id });
  made += 1;
  more.host.id = `options-${made}`;
  toggle.setAttribute("aria-controls", more.host.id);

  function open(wanted) {
    more.host.hidden = !wanted;
    toggle.setAttribute("aria-expanded", String(wanted));
    toggle.classList.toggle("set", more.any(seat.way));
    if (wanted) more.host.querySelector("input, select").focus();
  }

  function choose(chosen) {
    seat.way = chosen;
    field.placeholder = t(`${chosen === "answer" ? "ask" : chosen}.hint`);
    more.draw(chosen);
    from.hidden = chosen !== "database" || from.length < 2;
    label();
    grow();
  }

  /** The way that asks for rows is there where something can be asked; what, is shown where there are several. */
  async function offerRows() {
    const places = await askable();
    fill(from, places.map(([value, name]) => el("option", { value }, name)));
    const [input] = ways.querySelectorAll("[value=database]");
    input.parentElement.hidden = !places.length;
    if (!places.length && seat.way === "database") ways.querySelector("[value=answer]").click();
    choose(seat.way);
  }

  function label() {
    const words = seat.working ? t("ask.stop") : t("ask.send");
    send.setAttribute("aria-label", words);
    send.title = words;
    fill(send, icon(seat.working ? "stop" : "send"));
  }

  function grow() {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  }

  function save() {
    store.setDraft(seat.id, field.value);
  }

  function put(text) {
    field.value = text;
    grow();
    save();
  }

  function submit(event) {
    event.preventDefault();
    if (seat.working) {
      onStop();
      field.focus();
    } else if (field.value.trim()) {
      const question = field.value.trim();
      put("");
      const asked = more.asked(seat.way);
      const where = both(scope.where(), asked.where);
      scope.fold();
      onAsk({ way: seat.way, question, ...asked, ...(seat.way === "database" && { database: from.value }), ...(where && { where }) });
    }
  }

  field.addEventListener("input", () => {
    grow();
    save();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return; // composing: Enter chooses a character
    event.preventDefault();
    if (!seat.working) submit(event);
  });
  const ways = drawWays(seat.way, (chosen) => {
    store.way = chosen;
    choose(chosen);
  });
  choose(seat.way);
  open(false);
  offerRows();
  requestAnimationFrame(grow);
  return {
    form: el("form", { class: "ask-form", on: { submit } }, name, input, el("div", { class: "ask-row" }, ways, from, toggle, el("span", { class: "grow" }), send), place, more.host),
    focus: () => field.focus({ preventScroll: true }),
    put,
    way: () => seat.way,
    /** From now on this is the box of the conversation of this id. */
    keepAs(other) {
      store.setDraft(seat.id, "");
      seat.id = other;
      scope.keepAs(other);
      save();
    },
    work(on) {
      seat.working = on;
      label();
    },
  };
}

function drawWays(chosen, choose) {
  const name = `way-${made}`;
  const one = (way) => {
    const input = el("input", { type: "radio", name, value: way, checked: way === chosen, on: { change: () => choose(way) } });
    return el("label", { hidden: way === "database" }, input, el("span", {}, t(`ask.way.${way}`)));
  };
  return el("fieldset", { class: "ways" }, el("legend", { class: "hidden" }, t("ask.way")), store.ways.map(one));
}

/** Put the focus into a box where that brings up no keyboard of the screen's. */
export function focusBox(box) {
  if (matchMedia("(pointer: fine)").matches) box.focus();
}
