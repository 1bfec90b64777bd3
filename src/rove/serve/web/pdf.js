// A document's pages as pictures: one at a time, its neighbours fetched ahead, boxes on the words, as large as one likes.

import { get, here, picture } from "./api.js";
import { el, fill, say } from "./dom.js";
import { t } from "./words.js";

const KEPT = 12;
const ZOOMS = [1, 1.25, 1.5, 2, 2.5, 3];
const CLOSELY = 1.5; // from here on a picture of twice the size is worth its bytes

/** Where the words of a span stand in print, or in time; see GET …/places. */
export function placesAt(document_id, [start, end], signal) {
  return get(here("/places", { document_id, start, end }), signal);
}

/** Show the page on which the words of `printed` stand. Returns what turns to another place: `show(found)`. */
export async function openPages(host, place, printed, { signal }) {
  const pictures = new Pictures(place, printed.version, signal);
  let number = printed.boxes[0]?.page ?? printed.page;
  let boxes = printed.boxes;
  let zoom = 0;
  let turns = 0;
  const sheet = el("div", { class: "sheet" });
  const frame = el("div", { class: "sheet-frame", tabindex: 0, role: "group", "aria-label": t("source.page-alt", { page: number, title: place.title }) }, sheet);
  const field = el("input", { type: "number", min: 1, max: printed.pages, "aria-label": t("source.page-number"), on: { change: () => turn(Number(field.value)) } });
  const before = button("source.before", "‹", () => turn(number - 1));
  const after = button("source.after", "›", () => turn(number + 1));
  const smaller = button("source.zoom-out", "−", () => scale(zoom - 1));
  const larger = button("source.zoom-in", "+", () => scale(zoom + 1));
  const fit = el("button", { type: "button", class: "quiet", "aria-label": t("source.zoom-fit"), title: t("source.zoom-fit"), on: { click: () => scale(0) } });
  const pages = el("div", { class: "group" }, before, field, el("span", { class: "muted" }, t("source.of-pages", { pages: printed.pages })), after);
  fill(host, el("div", { class: "turning", role: "toolbar", "aria-label": t("source.as-page") }, pages, el("div", { class: "group" }, smaller, fit, larger)), frame);

  async function turn(to) {
    const mine = (turns += 1);
    number = Math.min(Math.max(1, Math.round(to) || number), printed.pages);
    field.value = number;
    before.disabled = number <= 1;
    after.disabled = number >= printed.pages;
    const waiting = setTimeout(() => mine === turns && fill(sheet, skeleton()), 80);
    try {
      const image = el("img", { src: await pictures.of(number, closely()), alt: t("source.page-alt", { page: number, title: place.title }) });
      await image.decode();
      if (mine !== turns) return;
      draw(image);
    } finally {
      clearTimeout(waiting);
    }
    say(t("source.page-of", { page: number, pages: printed.pages }));
    for (const near of [number + 1, number - 1]) if (near >= 1 && near <= printed.pages) pictures.of(near, closely()).catch(() => {});
  }

  function draw(image) {
    const drawn = boxes.filter((box) => box.page === number).map(boxed);
    fill(sheet, image, drawn);
    frame.setAttribute("aria-label", image.alt);
    drawn[0]?.scrollIntoView({ block: "center", inline: "nearest" });
  }

  function closely() {
    return ZOOMS[zoom] >= CLOSELY ? 2 : 1;
  }

  async function scale(to) {
    zoom = Math.min(Math.max(0, to), ZOOMS.length - 1);
    sheet.style.width = `${ZOOMS[zoom] * 100}%`;
    fit.textContent = `${ZOOMS[zoom] * 100} %`;
    smaller.disabled = zoom === 0;
    larger.disabled = zoom === ZOOMS.length - 1;
    await turn(number);
  }

  host.addEventListener("keydown", (event) => {
    const by = { "+": 1, "=": 1, "-": -1, 0: -ZOOMS.length }[event.key];
    if (!(event.ctrlKey || event.metaKey) || by === undefined) return;
    event.preventDefault();
    scale(zoom + by);
  });
  signal.addEventListener("abort", () => pictures.drop());
  await scale(0);
  return async (found) => {
    const there = found ? await get(here("/places", { document_id: place.document_id, start: found.span[0], end: found.span[1] }), signal) : printed;
    boxes = there.boxes;
    await turn(there.boxes[0]?.page ?? there.page ?? number);
  };
}

/** The pictures of a document's pages that were fetched last. */
class Pictures {
  constructor({ document_id }, version, signal) {
    this.asked = { document_id, version };
    this.signal = signal;
    this.kept = new Map();
  }

  of(page, scale) {
    const key = `${page}@${scale}`;
    const known = this.kept.get(key);
    this.kept.delete(key);
    const fetched = known ?? picture(here("/picture", { ...this.asked, page, scale }), this.signal);
    this.kept.set(key, fetched);
    if (!known) fetched.catch(() => this.kept.delete(key));
    while (this.kept.size > KEPT) this.forget(this.kept.keys().next().value);
    return fetched;
  }

  forget(key) {
    this.kept.get(key).then((address) => URL.revokeObjectURL(address), () => {});
    this.kept.delete(key);
  }

  drop() {
    for (const key of [...this.kept.keys()]) this.forget(key);
  }
}

function button(word, sign, click) {
  return el("button", { type: "button", class: "quiet", "aria-label": t(word), on: { click } }, sign);
}

function skeleton() {
  return el("div", { class: "skeleton", "aria-hidden": "true" }, Array.from({ length: 14 }, () => el("span")));
}

function boxed(box) {
  const drawn = el("div", { class: "box" });
  drawn.style.left = `${box.left * 100}%`;
  drawn.style.top = `${box.top * 100}%`;
  drawn.style.width = `${(box.right - box.left) * 100}%`;
  drawn.style.height = `${(box.bottom - box.top) * 100}%`;
  return drawn;
}
