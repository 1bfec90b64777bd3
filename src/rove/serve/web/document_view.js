// A document by itself: all of its width for the text or the pages, its outline at the side, its words searched, its address to share.

import { get, here, picture } from "./api.js";
import { copyText } from "./clipboard.js";
import { el, fill, say } from "./dom.js";
import { iconButton } from "./icons.js";
import { addressOf, openDocument } from "./source.js";
import { locale, t } from "./words.js";

const SPAN = /^(\d{1,10})-(\d{1,10})$/;

/** The view of "#/document/ID" and "#/document/ID/START-END". */
export async function documentView(main, { rest: [document_id = "", words = ""], signal, entitle }) {
  const [start, end] = (SPAN.exec(words) ?? []).slice(1).map(Number);
  const span = end > start ? [start, end] : [0, 0];
  const info = await get(here("/document", { document_id }), signal);
  const heading = el("h1", {}, info.title || info.source);
  entitle(info.title || info.source);
  const outline = el("nav", { class: "outline", "aria-label": t("source.outline"), hidden: true });
  const body = el("div", { class: "source-body" });
  const paper = el("div", { class: "paper" }, body);
  const facts = [info.source !== info.title && info.source, info.type, t("source.added", { date: new Date(info.added_at).toLocaleDateString(locale()) })];
  fill(
    main,
    el("header", { class: "document-top" }, heading, el("div", { class: "row" }, copyButton({ document_id, span }), downloadButton(info, signal)), el("p", { class: "facts muted small" }, facts.filter(Boolean).map((fact) => el("span", {}, fact)))),
    el("div", { class: "reading" }, outline, paper),
  );
  const place = { ...info, span };
  const views = await openDocument(body, place, { signal, top: 1, bar: (bar) => body.before(bar) });
  const told = views.reader?.told ?? (await get(here("/blocks", { document_id }), signal));
  if (told.sections.length > 1) drawOutline(outline, told.sections, (section) => views.goTo([section.span[0], section.span[0] + section.title.length]));
}

function drawOutline(host, sections, go) {
  const levels = [...new Set(sections.map((one) => one.level))].sort((a, b) => a - b);
  const line = (section) => {
    const item = el("li", {}, el("button", { type: "button", class: "link", on: { click: () => go(section) } }, section.title));
    item.style.paddingInlineStart = `${levels.indexOf(section.level) * 0.9}rem`;
    return item;
  };
  host.hidden = false;
  const wide = matchMedia("(min-width: 60rem)").matches;
  fill(host, el("details", { open: wide }, el("summary", {}, t("source.outline")), el("ul", {}, sections.map(line))));
}

/** Copy the address of the document, at the words that it was opened at. */
function copyButton(place) {
  const told = el("span", { class: "muted small", role: "status" });
  const copy = async () => {
    const address = `${location.origin}${location.pathname}${addressOf(place)}`;
    told.textContent = (await copyText(address)) ? t("source.copied") : address; // what cannot be copied can be read off
  };
  return [told, iconButton("share", t("source.copy"), copy)];
}

/** Download the file that it was read from, or its text where the server has no such file. */
function downloadButton(info, signal) {
  const load = async () => {
    const file = await fileOf(info, signal);
    const link = el("a", { href: file.address, download: file.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(file.address), 10_000);
    say(t("source.downloaded", { name: file.name }));
  };
  return iconButton("download", t("source.download"), load);
}

async function fileOf({ document_id, source, title }, signal) {
  const name = (source || title || "document").split(/[/\\#]/).filter(Boolean).pop().slice(0, 100);
  try {
    return { name, address: await picture(here("/download", { document_id }), signal) };
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    const { text } = await get(here("/text", { document_id }), signal);
    return { name: /\.(md|txt)$/i.test(name) ? name : `${name}.md`, address: URL.createObjectURL(new Blob([text], { type: "text/markdown" })) };
  }
}
