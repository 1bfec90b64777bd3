// The source beside the view: the document's text at the words that were cited, or its printed page with a box on them.

import { get, here, picture } from "./api.js";
import { el, fill, points, say } from "./dom.js";
import { busy, wrong } from "./states.js";
import { t } from "./words.js";

const AROUND = 3_000;
const LINE = 200;
const aside = document.getElementById("source");
const narrow = matchMedia("(max-width: 60rem)");
let opener = null;
let control = null;
let shown = null;

export function closeSource({ quiet = false } = {}) {
  control?.abort();
  if (shown) URL.revokeObjectURL(shown);
  shown = null;
  if (aside.hidden) return;
  aside.hidden = true;
  fill(aside);
  document.body.classList.remove("with-source");
  document.getElementById("main").inert = false;
  document.getElementById("top").inert = false;
  if (!quiet) opener?.focus();
}

/** Open a document at a place: {document_id, title, span}; `line`: at its first line. `from` gets the focus back. */
export async function openSource(place, from) {
  control?.abort();
  control = new AbortController();
  opener = from ?? opener;
  const heading = el("h2", { tabindex: -1 }, place.title || place.source || place.document_id);
  const close = el("button", { type: "button", class: "close", "aria-label": t("source.close"), on: { click: () => closeSource() } }, "×");
  const body = el("div", { class: "source-body" }, busy());
  const tabs = el("div", { class: "choice" });
  aside.setAttribute("aria-label", t("source.label"));
  fill(aside, el("div", { class: "source-top" }, heading, close), tabs, body);
  aside.hidden = false;
  document.body.classList.add("with-source");
  const covers = narrow.matches;
  document.getElementById("main").inert = covers;
  document.getElementById("top").inert = covers;
  heading.focus();
  try {
    await draw(place, tabs, body, control.signal);
  } catch (problem) {
    if (problem.name !== "AbortError") fill(body, wrong(problem, () => openSource(place)));
  }
}

async function draw(place, tabs, body, signal) {
  const [start, last] = place.span ?? [0, 0];
  const end = place.line ? Math.min(last, start + LINE) : last; // a heading is shown, not all that stands under it
  const printed = await places(place, start, end, signal);
  const text = () => drawText(body, place, start, end, signal);
  if (!printed) return text();
  const choose = async (page) => {
    const [first, second] = tabs.children;
    first.setAttribute("aria-pressed", String(page));
    second.setAttribute("aria-pressed", String(!page));
    fill(body, busy());
    try {
      await (page ? drawPage(body, place, printed, signal) : text());
    } catch (problem) {
      if (page && problem.name !== "AbortError") await choose(false); // the file has gone: its text is still here
      else throw problem;
    }
  };
  fill(
    tabs,
    el("button", { type: "button", on: { click: () => choose(true) } }, t("source.as-page")),
    el("button", { type: "button", on: { click: () => choose(false) } }, t("source.as-text")),
  );
  return choose(true);
}

async function places(place, start, end, signal) {
  const told = await get(here("/places", { document_id: place.document_id, start, end }), signal);
  return told.pictures && told.page ? told : null;
}

async function drawPage(body, place, printed, signal) {
  let number = printed.boxes[0]?.page ?? printed.page;
  const label = el("span", { class: "muted", "aria-live": "polite" });
  const sheet = el("div", { class: "sheet" });
  const turn = async (by) => {
    number = Math.min(Math.max(1, number + by), printed.pages);
    const address = await picture(here("/picture", { document_id: place.document_id, page: number }), signal);
    if (shown) URL.revokeObjectURL(shown);
    shown = address;
    const image = el("img", { src: address, alt: t("source.page-alt", { page: number, title: place.title }) });
    await image.decode();
    const boxes = printed.boxes.filter((box) => box.page === number).map((box) => boxed(box));
    fill(sheet, image, boxes);
    label.textContent = t("source.page-of", { page: number, pages: printed.pages });
    before.disabled = number <= 1;
    after.disabled = number >= printed.pages;
    boxes[0]?.scrollIntoView({ block: "center" });
  };
  const before = el("button", { type: "button", "aria-label": t("source.before"), on: { click: () => turn(-1) } }, "‹");
  const after = el("button", { type: "button", "aria-label": t("source.after"), on: { click: () => turn(1) } }, "›");
  fill(body, el("div", { class: "turning" }, before, label, after), sheet);
  await turn(0);
}

function boxed(box) {
  const drawn = el("div", { class: "box" });
  drawn.style.left = `${box.left * 100}%`;
  drawn.style.top = `${box.top * 100}%`;
  drawn.style.width = `${(box.right - box.left) * 100}%`;
  drawn.style.height = `${(box.bottom - box.top) * 100}%`;
  return drawn;
}

async function drawText(body, place, start, last, signal) {
  const told = await get(here("/text", { document_id: place.document_id, start: Math.max(0, start - AROUND), end: last + AROUND }), signal);
  const letters = points(told.text);
  let [from, to] = told.span;
  const line = letters.slice(start - from, last - from).indexOf("\n");
  const end = place.line && line >= 0 ? start + line : last;
  const path = told.sections.filter(({ span }) => span[0] <= start && start < span[1]).sort((a, b) => a.level - b.level);
  const mark = el("mark", { tabindex: -1 }, letters.slice(start - from, end - from).join(""));
  const text = el("div", { class: "source-text", tabindex: 0, role: "region", "aria-label": t("source.text") });
  const head = el("span", {}, letters.slice(0, start - from).join(""));
  const tail = el("span", {}, letters.slice(end - from).join(""));
  text.append(head, mark, tail);
  const more = async (first, last) => (await get(here("/text", { document_id: place.document_id, start: first, end: last }), signal)).text;
  const earlier = el("button", { type: "button", class: "more" }, t("source.earlier"));
  const later = el("button", { type: "button", class: "more" }, t("source.later"));
  const settle = () => {
    earlier.hidden = from <= 0;
    later.hidden = to >= told.size_chars;
  };
  earlier.addEventListener("click", async () => {
    const first = Math.max(0, from - 2 * AROUND);
    head.textContent = (await more(first, from)) + head.textContent;
    from = first;
    settle();
  });
  later.addEventListener("click", async () => {
    tail.textContent += await more(to, to + 2 * AROUND);
    to = Math.min(told.size_chars, to + 2 * AROUND);
    settle();
  });
  settle();
  fill(body, path.length > 0 && el("p", { class: "path muted" }, path.map((one) => one.title).join(" › ")), earlier, text, later);
  if (end > start) mark.scrollIntoView({ block: "center" });
  say(t("source.opened", { title: told.title }));
}

aside.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeSource();
});
