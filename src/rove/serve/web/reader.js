// A document as it is read: its blocks around a place, more of them as one scrolls, the cited words marked.

import { get, here, picture } from "./api.js";
import { Drawing, joined } from "./blocks.js";
import { el, fill } from "./dom.js";
import { t } from "./words.js";

const AROUND = 3_000;
const STEP = 12_000;
const WRAPPED = ["markdown", "html", "rst", "ipynb", "docx", "epub"]; // a line's end means nothing there
const A_FILE = /^(?![a-z][a-z0-9+.-]*:).*\.\w{2,5}$/i; // not on another server, and not in the text itself
const GRIDS = ["xlsx", "xls", "ods", "csv", "parquet", "sqlite"];

/** Open a document in `host` at the words of `span`, with `line` at its first block alone; `top`: the level of the heading above. */
export async function openReader(host, { document_id, span: [start, end], line = false }, { signal, top = 2 }) {
  const told = await blocks({ document_id, start: Math.max(0, start - AROUND), end: end + AROUND }, signal);
  const first = line && told.blocks.find((block) => block.span[0] <= start && start < block.span[1]);
  return new Reader(host, told, { signal, top, mark: first ? [start, Math.min(end, first.span[1])] : [start, end] });
}

function blocks(query, signal) {
  return get(here("/blocks", query), signal);
}

/** Pictures that stand in a document, each fetched once it comes into sight; one that cannot be had stays its caption. */
class InSight {
  constructor(fetched, signal) {
    this.names = new WeakMap();
    this.near = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach(({ target }) => this.show(target)), { rootMargin: "400px" });
    this.fetched = fetched;
    this.drawn = new Map(); // name -> promise of its address here: a logo that stands on every slide is fetched once
    signal.addEventListener("abort", () => {
      this.near.disconnect();
      for (const address of this.drawn.values()) address.then(URL.revokeObjectURL, () => {});
    });
  }

  watch(place, name) {
    if (!A_FILE.test(name)) return;
    this.names.set(place, name);
    this.near.observe(place);
  }

  async show(place) {
    this.near.unobserve(place);
    const name = this.names.get(place);
    if (!this.drawn.has(name)) this.drawn.set(name, this.fetched(name));
    const address = await this.drawn.get(name).catch(() => "");
    if (!address) return;
    place.classList.add("shown");
    place.prepend(el("img", { src: address, alt: "" })); // its caption stands beneath
  }
}

class Reader {
  constructor(host, told, { signal, top, mark }) {
    this.told = told;
    this.signal = signal;
    [this.from, this.to] = told.span;
    this.goesOn = told.continues;
    const pictures = new InSight((name) => picture(here("/picture", { document_id: told.document_id, name }), signal), signal);
    this.drawing = new Drawing({ marks: [mark], grid: GRIDS.includes(told.type), top, pictured: (place, name) => pictures.watch(place, name) });
    this.text = el("div", { class: WRAPPED.includes(told.type) ? "source-text document wrapped" : "source-text document", tabindex: 0, role: "region", "aria-label": t("source.text"), lang: told.language === "und" ? null : told.language });
    this.earlier = el("button", { type: "button", class: "more", on: { click: () => this.before() } }, t("source.earlier"));
    this.later = el("button", { type: "button", class: "more", on: { click: () => this.after() } }, t("source.later"));
    const { elements, pieces } = this.drawing.draw(told.blocks);
    this.text.append(...elements);
    this.pieces = pieces;
    this.settle();
    fill(host, this.earlier, this.text, this.later);
    const near = new IntersectionObserver(([one]) => one.isIntersecting && this.after(), { rootMargin: "600px" });
    near.observe(this.later);
    signal.addEventListener("abort", () => near.disconnect());
    this.text.addEventListener("scroll", ({ target }) => target === this.text.lastElementChild && target.scrollHeight - target.scrollTop < 2 * target.clientHeight && this.after(), true);
  }

  /** The marked words that come first; null where nothing is marked. */
  get mark() {
    return this.text.querySelector("mark");
  }

  settle() {
    this.earlier.hidden = this.from <= 0;
    this.later.hidden = this.to >= this.told.size_chars;
  }

  /** Show what comes before, and keep in sight what is. */
  async before() {
    const told = await this.fetched({ start: Math.max(0, this.from - STEP), end: this.from, exact: "end" });
    if (!told) return;
    const { elements, pieces } = new Drawing({ ...this.drawing, top: this.drawing.levels[0].shown }).draw(told.blocks);
    const first = this.text.firstElementChild;
    const anchor = this.text.lastElementChild;
    const stood = anchor?.getBoundingClientRect().bottom;
    if (this.goesOn && joined(elements.at(-1), first)) first.remove();
    this.text.prepend(...elements);
    this.pieces = [...pieces, ...this.pieces];
    this.from = told.span[0];
    this.goesOn = told.continues;
    this.settle();
    if (anchor?.isConnected) scroller(this.text).scrollTop += anchor.getBoundingClientRect().bottom - stood;
  }

  /** Show what comes after. */
  async after() {
    const told = await this.fetched({ start: this.to, end: this.to + STEP, exact: "start" });
    if (!told) return;
    const { elements, pieces } = this.drawing.draw(told.blocks);
    if (told.continues && joined(this.text.lastElementChild, elements[0])) elements.shift();
    this.text.append(...elements);
    this.pieces.push(...pieces);
    this.to = told.span[1];
    this.settle();
  }

  /** Fetch a part, one at a time. */
  async fetched(query) {
    if (this.busy || (query.exact === "start" ? this.later : this.earlier).hidden) return null;
    this.busy = true;
    try {
      return await blocks({ document_id: this.told.document_id, ...query }, this.signal);
    } catch (problem) {
      if (problem.name === "AbortError") return null;
      throw problem;
    } finally {
      this.busy = false;
    }
  }

  /** Have a place in sight, which may be far from what is shown; returns its range, null where nothing of it is shown. */
  async goTo([start, end]) {
    while (start >= this.to && start - this.to < 4 * STEP && !this.later.hidden) await this.after();
    while (start < this.from && this.from - start < 4 * STEP && !this.earlier.hidden) await this.before();
    if (start < this.from || start >= this.to) await this.jump(start, end);
    const range = this.range([start, end]);
    if (range) inSight(range, scroller(this.text));
    return range;
  }

  /** Show another part of the document in place of this one. */
  async jump(start, end) {
    const told = await blocks({ document_id: this.told.document_id, start: Math.max(0, start - AROUND), end: end + AROUND }, this.signal);
    const { elements, pieces } = this.drawing.draw(told.blocks);
    this.text.replaceChildren(...elements);
    this.pieces = pieces;
    [this.from, this.to] = told.span;
    this.goesOn = told.continues;
    this.settle();
  }

  /** The range of the shown text that stands at a span; null where none does. */
  range([start, end]) {
    const touching = this.pieces.filter(({ span }) => span[0] < end && start < span[1]);
    if (!touching.length) return null;
    const [first, last] = [touching[0], touching.at(-1)];
    const range = new Range();
    range.setStart(first.node, first.whole ? 0 : units(first.node.data, Math.max(0, start - first.span[0])));
    range.setEnd(last.node, last.whole ? last.node.length : units(last.node.data, Math.min(last.span[1], end) - last.span[0]));
    return range;
  }
}

/** Scroll until a range is in sight: what scrolls by itself, and the page. */
function inSight(range, frame) {
  const element = range.startContainer.parentElement;
  if (element.closest(".wide")) return element.scrollIntoView({ block: "center", inline: "nearest" });
  const outer = frame === document.scrollingElement ? { top: 0, height: innerHeight } : frame.getBoundingClientRect();
  frame.scrollTop += range.getBoundingClientRect().top - outer.top - outer.height / 3;
}

/** Where the character of a place begins: places count code points, a text node UTF-16. */
function units(text, place) {
  return Array.from(text).slice(0, place).join("").length;
}

function scroller(element) {
  const frame = element.closest(".source-body");
  return frame && getComputedStyle(frame).overflowY !== "visible" ? frame : document.scrollingElement;
}
