// The source beside the view: the document laid out at the words that were cited, or its printed page with a box on them.

import { el, fill, say } from "./dom.js";
import { findBar, lightUp } from "./find.js";
import { icon } from "./icons.js";
import { openPages, placesAt } from "./pdf.js";
import { player } from "./player.js";
import { openReader } from "./reader.js";
import { busy, wrong } from "./states.js";
import { t } from "./words.js";

const LINE = 200;
const aside = document.getElementById("source");
const narrow = matchMedia("(max-width: 60rem)");
let opener = null;
let control = null;

export function closeSource({ quiet = false } = {}) {
  control?.abort();
  if (aside.hidden) return;
  aside.hidden = true;
  fill(aside);
  document.body.classList.remove("with-source");
  covered(false);
  if (!quiet) opener?.focus();
}

function covered(whether) {
  for (const name of ["main", "top"]) {
    const part = document.getElementById(name);
    if (part) part.inert = whether;
  }
}

/** The address of a document on this page, at the words of a span. */
export function addressOf({ document_id, span }) {
  return `#/document/${encodeURIComponent(document_id)}${span?.[1] > span?.[0] ? `/${span[0]}-${span[1]}` : ""}`;
}

/** Open a document at a place: {document_id, title, span}; `line`: at its first line. `from` gets the focus back. */
export async function openSource(place, from) {
  control?.abort();
  control = new AbortController();
  opener = from ?? opener;
  const heading = el("h2", { tabindex: -1 }, place.title || place.source || place.document_id);
  const whole = el("a", { class: "icon-button", href: addressOf(place), "aria-label": t("source.whole"), title: t("source.whole") }, icon("expand"));
  const close = el("button", { type: "button", class: "close", "aria-label": t("source.close"), on: { click: () => closeSource() } }, "×");
  const body = el("div", { class: "source-body" });
  aside.setAttribute("aria-label", t("source.label"));
  fill(aside, el("div", { class: "source-top" }, heading, whole, close), body);
  aside.hidden = false;
  document.body.classList.add("with-source");
  covered(narrow.matches);
  heading.focus();
  const onRead = ({ title }) => place.title || (heading.textContent = title);
  await openDocument(body, place, { signal: control.signal, bar: (bar) => body.before(bar), onRead });
}

/** Draw a document into `host`, as its pages or as its text; `bar` puts its bar where it belongs. Returns `{goTo}`. */
export async function openDocument(host, place, { signal, bar, top = 2, onRead = () => {} }) {
  const views = new Views(host, place, { signal, top, onRead });
  const choice = el("div", { class: "choice", hidden: true });
  views.choice = choice;
  bar(el("div", { class: "source-bar" }, choice, findBar(place.document_id, { signal, show: (now, all) => views.find(now, all) })));
  fill(host, busy());
  try {
    await views.open();
  } catch (problem) {
    if (problem.name !== "AbortError") fill(host, wrong(problem, () => openDocument(host, place, { signal, bar: () => {}, top, onRead })));
  }
  return views;
}

/** What is shown of a document: its printed pages where they can be drawn, and its text. */
class Views {
  constructor(host, place, { signal, top, onRead }) {
    Object.assign(this, { host, place, signal, top, onRead, reader: null, turn: null, player: null });
    const [start, last] = place.span ?? [0, 0];
    this.span = [start, place.line ? Math.min(last, start + LINE) : last]; // a heading is shown, not all that stands under it
  }

  async open() {
    const printed = await placesAt(this.place.document_id, this.span, this.signal);
    if (printed.recording) this.player = player(this.place, printed, { signal: this.signal });
    if (!printed.pictures || !printed.page) return this.read();
    const names = { page: () => this.print(printed), text: () => this.read() };
    fill(this.choice, Object.keys(names).map((name) => el("button", { type: "button", data: { name }, on: { click: () => this.choose(name, names) } }, t(`source.as-${name}`))));
    this.choice.hidden = false;
    return this.choose("page", names);
  }

  async choose(name, names) {
    for (const button of this.choice.children) button.setAttribute("aria-pressed", String(button.dataset.name === name));
    fill(this.host, busy());
    try {
      await names[name]();
    } catch (problem) {
      if (name === "page" && problem.name !== "AbortError") await this.choose("text", names); // the file has gone: its text is still here
      else throw problem;
    }
  }

  async print(printed) {
    this.reader = null;
    this.turn = await openPages(this.host, this.place, printed, { signal: this.signal });
  }

  async read() {
    this.turn = null;
    const inside = el("div");
    const reader = await openReader(inside, { document_id: this.place.document_id, span: this.span, line: this.place.line }, { signal: this.signal, top: this.top });
    const path = reader.told.sections.filter(({ span }) => span[0] <= this.span[0] && this.span[0] < span[1]).sort((a, b) => a.level - b.level);
    fill(this.host, path.length > 0 && this.top === 2 && el("p", { class: "path muted" }, path.map((one) => one.title).join(" › ")), this.player?.host, inside);
    this.reader = reader;
    if (this.span[1] > this.span[0]) reader.mark?.scrollIntoView({ block: "center" });
    this.onRead(reader.told);
    say(t("source.opened", { title: reader.told.title }));
  }

  async find(now, all) {
    if (this.turn) await this.turn(now);
    else if (this.reader) await lightUp(this.reader, now, all);
    this.player?.goTo(now?.time);
  }

  /** Have a place of the document in sight. */
  async goTo(span) {
    if (this.turn) await this.turn({ span });
    else await this.reader?.goTo(span);
    if (this.player) this.player.goTo((await placesAt(this.place.document_id, span, this.signal)).time);
  }
}

aside.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeSource();
});
