// Documents: a table of what is there, filtered and sorted by the server; files dropped on it go in; what failed, and why.

import { get, here, post } from "./api.js";
import { tagForm } from "./document_details.js";
import { drawTable, SORTS } from "./document_table.js";
import { el, fill, labelled, say } from "./dom.js";
import { takeDrops } from "./drop.js";
import { drawSource } from "./job.js";
import { busy, empty, wrong } from "./states.js";
import { store } from "./store.js";
import { eraser } from "./sure.js";
import { chooser, dropZone, uploads } from "./uploads.js";
import { t } from "./words.js";

const PAGE = 100;
const AT_ONCE = 1000; // ids that one call takes
const MOST_FAILED = 500;
const TYPED_MS = 250;
const FIRST = { words: "", folder: "", type: "", tag: "", sort: "added", descending: true, cursor: 0 };
let kept = { space: "", asked: FIRST }; // what was asked for last, for who comes back

export async function documents(main, { signal }) {
  if (kept.space !== store.space) kept = { space: store.space, asked: { ...FIRST } };
  const view = new View(main, kept.asked, signal);
  await view.start();
}

class View {
  constructor(main, asked, signal) {
    Object.assign(this, { main, asked, signal, chosen: new Map(), total: 0 });
    this.uploads = uploads({ signal, ended: () => this.load({ facets: true }) });
    this.heading = el("h1", {}, t("documents.title"));
    this.depth = el("div");
    this.tabs = el("div", { class: "choice" });
    this.bar = el("div", { class: "bulk", role: "region", "aria-label": t("documents.chosen-label"), hidden: true });
    this.table = el("div", { class: "table" }, busy());
    this.pager = el("div", { class: "row pager" });
    this.failed = el("div", { hidden: true });
  }

  async start() {
    const add = store.may("add");
    const top = add && el("div", { class: "row top-row" }, chooser(this.uploads.files), chooser(this.uploads.files, { folder: true }), el("a", { class: "button", href: "#/add" }, t("documents.add-text")));
    this.filled = el("div", {}, this.tools(), this.bar, this.table, this.pager);
    const spaces = store.may("admin") && el("a", { class: "small", href: "#/spaces" }, t("spaces.title"));
    fill(this.main, el("div", { class: "row title-row" }, el("div", { class: "row" }, this.heading, spaces), top), this.depth, this.uploads.place, this.tabs, this.filled, this.failed);
    takeDrops(add ? this.uploads.files : () => say(t("add.refused")), this.signal);
    const [, far] = await Promise.all([this.load({ facets: true }), get(here("/depth"), this.signal)]);
    if (far.shallow) fill(this.depth, el("p", { class: "notice" }, t("documents.depth", { share: Math.floor(100 * far.share), count: far.shallow })));
    if (store.may("admin")) await this.loadFailed();
  }

  // -- what is asked for ---------------------------------------------------------------------------------------------

  tools() {
    const words = el("input", { type: "search", autocomplete: "off", value: this.asked.words });
    let waiting = 0;
    words.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.ask({ words: words.value.trim() }), TYPED_MS);
    });
    this.selects = Object.fromEntries(["type", "folder", "tag"].map((name) => [name, this.select(name)]));
    const sort = el("select", { on: { change: (event) => this.ask({ sort: event.target.value, descending: ["added", "chunks"].includes(event.target.value) }) } });
    fill(sort, SORTS.map((name) => el("option", { value: name, selected: name === this.asked.sort }, t(`documents.column.${name}`))));
    this.sorted = sort;
    return el(
      "div",
      { class: "tools", role: "search", "aria-label": t("documents.filters") },
      part("words", t("documents.filter"), words),
      Object.entries(this.selects).map(([name, field]) => part(name, t(`documents.by.${name}`), field)),
      part("sorted", t("documents.sort"), sort),
    );
  }

  select(name) {
    return el("select", { on: { change: (event) => this.ask({ [name]: event.target.value }) } });
  }

  ask(change) {
    Object.assign(this.asked, { cursor: 0 }, change);
    return this.load();
  }

  query(more = {}) {
    const { words, folder, type, tag, sort, descending, cursor } = this.asked;
    const given = { words, folder, type, tag, sort, descending, cursor, limit: PAGE, ...more };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  }

  async load({ facets = false } = {}) {
    this.loading = (this.loading ?? 0) + 1;
    const mine = this.loading;
    try {
      const page = await get(here("/documents", this.query({ facets })), this.signal);
      if (mine !== this.loading) return; // another question was asked meanwhile
      if (page.facets) this.facets(page.facets);
      if (!page.documents.length && this.asked.cursor) return await this.ask({});
      this.draw(page);
    } catch (problem) {
      if (problem.name === "AbortError" || mine !== this.loading) return;
      fill(this.table, wrong(problem, () => this.load({ facets: true })));
    }
  }

  facets(found) {
    const counts = { type: found.types, folder: found.folders, tag: found.tags };
    for (const [name, field] of Object.entries(this.selects)) {
      const names = Object.keys(counts[name]);
      if (!names.includes(this.asked[name])) this.asked[name] = "";
      const indent = (one) => (name === "folder" ? `${"\u2003".repeat(one.split("/").length - 1)}${one.split("/").at(-1)}` : one);
      fill(
        field,
        el("option", { value: "" }, t("documents.any")),
        names.map((one) => el("option", { value: one, selected: one === this.asked[name] }, `${indent(one)} (${counts[name][one]})`)),
      );
      field.parentElement.hidden = !names.length;
    }
    fill(this.known, Object.keys(found.tags).map((tag) => el("option", { value: tag })));
  }

  known = el("datalist", { id: "all-tags" });

  // -- what is there -------------------------------------------------------------------------------------------------

  draw(page) {
    this.total = page.total;
    const { words, folder, type, tag, cursor } = this.asked;
    const nothing = !page.total && !(words || folder || type || tag);
    this.main.classList.toggle("nothing", nothing);
    this.pick();
    if (nothing) {
      const add = store.may("add") && dropZone(this.uploads.files, el("p", { class: "muted" }, el("a", { href: "#/add" }, t("documents.add-text"))));
      fill(this.table, empty(t("documents.empty"), t("documents.empty.text")), add, this.known);
      fill(this.pager);
      return;
    }
    for (const option of this.sorted.options) option.selected = option.value === this.asked.sort;
    const held = document.activeElement?.closest("th")?.className;
    const table = drawTable(page.documents, {
      asked: this.asked,
      chosen: this.chosen,
      choose: () => this.pick(),
      sort: (key) => this.ask({ sort: key, descending: this.asked.sort === key ? !this.asked.descending : ["added", "chunks"].includes(key) }),
      changed: () => this.load({ facets: true }),
    });
    fill(this.table, page.total ? table : empty(t("documents.none"), t("documents.none.text")), this.known);
    if (held) this.table.querySelector(`th.${held.split(" ").at(-1)} button`)?.focus();
    this.drawPager(cursor, page);
    say(t("documents.count", { count: page.total }));
  }

  drawPager(cursor, page) {
    const turn = (to, name) => el("button", { type: "button", disabled: to === null, on: { click: () => this.turn(to) } }, t(name));
    const [first, last] = [Math.min(cursor + 1, page.total), cursor + page.documents.length];
    fill(
      this.pager,
      el("span", { class: "muted" }, t("documents.range", { first, last, count: page.total })),
      page.total > PAGE && [turn(cursor ? Math.max(0, cursor - PAGE) : null, "documents.before"), turn(page.next_cursor, "documents.after")],
    );
  }

  async turn(to) {
    this.asked.cursor = to;
    await this.load();
    this.heading.scrollIntoView();
  }

  // -- what is done with many ----------------------------------------------------------------------------------------

  pick() {
    const count = this.chosen.size;
    const was = this.bar.hidden ? 0 : Number(this.bar.dataset.count);
    this.bar.hidden = !count;
    if (!count || was === count) return;
    this.bar.dataset.count = String(count);
    const some = [...this.chosen.values()];
    const tags = [...new Set(some.flatMap((one) => one.tags))].sort().slice(0, 30);
    const clear = async () => {
      this.chosen.clear();
      this.pick();
      await this.load({ facets: true });
    };
    fill(
      this.bar,
      el("strong", {}, t("documents.chosen", { count })),
      count < this.total && el("button", { type: "button", class: "link", on: { click: () => this.chooseAll() } }, t("documents.choose-all", { count: this.total })),
      store.may("add") && el("button", { type: "button", on: { click: () => this.readAgain(some.map((one) => one.document_id), t("documents.again-many", { count })) } }, t("documents.again")),
      store.may("delete") && eraser(t("documents.delete-many", { count }), () => this.each("/documents/delete").then(clear)),
      el("button", { type: "button", class: "quiet", on: { click: clear } }, t("documents.clear")),
      store.may("add") && count <= AT_ONCE && tagForm(some, tags, clear),
    );
    say(t("documents.chosen", { count }));
  }

  async chooseAll() {
    let cursor = 0;
    while (cursor !== null) {
      const page = await get(here("/documents", this.query({ cursor, limit: AT_ONCE })), this.signal);
      for (const one of page.documents) this.chosen.set(one.document_id, one);
      cursor = page.next_cursor;
    }
    await this.load();
  }

  async each(path) {
    const ids = [...this.chosen.keys()];
    for (let at = 0; at < ids.length; at += AT_ONCE) await post(here(path), { document_ids: ids.slice(at, at + AT_ONCE) });
  }

  async readAgain(ids, name, failed = false) {
    try {
      for (let at = 0; at < ids.length || (failed && !at); at += AT_ONCE) {
        const job = await post(here("/reindex"), { document_ids: ids.slice(at, at + AT_ONCE), failed });
        this.uploads.hand(name, `/jobs/${job.job_id}/events`, {}, "GET").then(() => failed && this.loadFailed());
      }
      this.chosen.clear();
      this.pick();
      this.heading.scrollIntoView();
      for (const field of this.table.querySelectorAll("input[type=checkbox]")) Object.assign(field, { checked: false, indeterminate: false });
    } catch (problem) {
      fill(failed ? this.again : this.bar, wrong(problem));
    }
  }

  // -- what did not go in --------------------------------------------------------------------------------------------

  async loadFailed() {
    const { entries, total } = await get(here("/ledger", { state: "failed", limit: MOST_FAILED }), this.signal);
    this.tabs.hidden = !entries.length;
    if (!entries.length) return this.show(false);
    const tab = (name, failed) => el("button", { type: "button", "aria-pressed": String(this.failed.hidden !== failed), on: { click: () => this.show(failed) } }, name);
    fill(this.tabs, tab(t("documents.there"), false), tab(t("documents.failed", { count: total }), true));
    this.again = el("div", { class: "row" }, el("button", { type: "button", on: { click: () => this.readAgain([], t("documents.again-failed"), true) } }, t("documents.again-failed")));
    fill(
      this.failed,
      el("p", { class: "muted" }, t("documents.failed.text")),
      this.again,
      el("ul", { class: "list" }, entries.map(drawSource)),
    );
  }

  show(failed) {
    this.failed.hidden = !failed;
    this.filled.hidden = failed;
    for (const [place, tab] of [...this.tabs.children].entries()) tab.setAttribute("aria-pressed", String(Boolean(place) === failed));
  }
}

function part(name, text, field) {
  return el("div", { class: `tool tool-${name}` }, labelled(text, field));
}
