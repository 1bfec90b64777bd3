// Add: drop files, or give an address or a text, and watch them go through the stages.

import { here, Problem, told } from "./api.js";
import { drawSource } from "./documents.js";
import { el, filePicker, fill, labelled, say } from "./dom.js";
import { takeDrops } from "./drop.js";
import { said } from "./said.js";
import { empty, wrong } from "./states.js";
import { store } from "./store.js";
import { named, t } from "./words.js";

const MOST_FILES = 50; // of one upload: servers bound both
const MOST_BYTES = 100_000_000;
const STEPS = ["queued", "loaded", "chunked", "embedded", "indexed", "waiting", "searchable", "done"];
const NEXT = { reading: "loaded", chunked: "embedded", embedded: "indexed", indexed: "indexed" }; // what a stage is followed by

export function add(main, { signal }) {
  if (!store.may("add")) {
    takeDrops(() => {}, signal);
    fill(main, el("h1", {}, t("add.title")), empty(t("add.refused"), t("add.refused.text")));
    return;
  }
  const jobs = el("div", { class: "list" });
  const notice = el("div", { role: "status" });
  const access = el("input", { autocomplete: "off", placeholder: "staff, board" });
  const labels = () => access.value.split(",").map((label) => label.trim()).filter(Boolean);

  async function hand(name, path, given) {
    const body = el("div");
    const ends = el("ul", { class: "list" });
    const job = el("section", { class: "card", "aria-label": name }, el("h2", {}, name), body, ends);
    jobs.prepend(job);
    fill(body, drawJob({ state: "queued", expected: 0, ended: 0, chunks: 0, under_way: [], trouble: "", shallow: 0 }));
    try {
      for await (const { data } of told("POST", here(path), { ...given, signal })) {
        fill(body, drawJob(data));
        while (ends.children.length > data.first) ends.lastChild.remove(); // it was begun again
        ends.append(...data.sources.map(drawSource));
        if (data.state !== "done") continue;
        say(t("add.done", { name }));
        return;
      }
      throw new Problem({ title: t("problem.ended"), detail: t("add.goes-on") });
    } catch (problem) {
      if (problem.name !== "AbortError") fill(body, wrong(problem, () => (job.remove(), hand(name, path, given))));
    }
  }

  async function files(list) {
    if (!list.length) fill(notice, el("p", { class: "notice refused" }, t("add.no-file")));
    else fill(notice);
    const parts = batches(list);
    for (const [place, part] of parts.entries()) {
      if (signal.aborted) return;
      const form = new FormData();
      for (const { name, file } of part) form.append("files", file, name);
      for (const label of labels()) form.append("access", label);
      const counted = { count: part.length, part: place + 1, parts: parts.length };
      await hand(part.length === 1 ? part[0].name : t(parts.length > 1 ? "add.files-of" : "add.files", counted), "/uploads", { form });
    }
  }

  fill(main, el("h1", {}, t("add.title")), dropZone(files), notice, jobs, el("hr"), textForm(hand, labels, access));
  takeDrops(files, signal);
}

/** Files in as many uploads as they need: each is whole or was never taken. */
function batches(files) {
  const parts = [];
  let bytes = Infinity;
  for (const one of files) {
    bytes += one.file.size;
    if (bytes > MOST_BYTES || parts.at(-1).length >= MOST_FILES) {
      parts.push([]);
      bytes = one.file.size;
    }
    parts.at(-1).push(one);
  }
  return parts;
}

function dropZone(files) {
  const input = el("input", { type: "file", multiple: true });
  input.addEventListener("change", () => {
    files([...input.files].map((file) => ({ name: file.name, file })));
    input.value = "";
  });
  return el("div", { class: "drop" }, el("p", { class: "empty-title" }, t("add.drop")), filePicker(t("add.choose"), input));
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

function drawJob(job) {
  const at = STEPS.indexOf(stepOf(job));
  const steps = STEPS.filter((step) => !["waiting", "searchable"].includes(step) || job.state === step).map((step) => {
    const place = STEPS.indexOf(step);
    return el("li", { class: place < at ? "past" : place === at ? "now" : "", "aria-current": place === at ? "step" : null }, named("stage", step));
  });
  return [
    el("ol", { class: "stages" }, steps),
    job.state !== "done" && el("progress", { max: Math.max(1, job.expected), value: job.expected ? job.ended : null, "aria-label": t("add.progress") }),
    el("p", { class: "facts" }, el("span", {}, t("add.ended", { done: job.ended, expected: Math.max(job.expected, job.ended) })), el("span", {}, t("add.embedded", { chunks: job.chunks }))),
    job.shallow > 0 && el("p", { class: "small" }, t("add.shallow", { count: job.shallow })),
    job.trouble && el("p", { class: "cure" }, said(job.trouble)),
    job.under_way.length > 0 && el("ul", { class: "list" }, job.under_way.map(drawUnderWay)),
  ];
}

/** The step that a job is at: while it runs, that of the source that is furthest behind. */
function stepOf(job) {
  if (job.state !== "running") return job.state;
  const next = job.under_way.map((one) => STEPS.indexOf(NEXT[one.stage]));
  return next.length ? STEPS[Math.min(...next)] : "loaded";
}

function drawUnderWay(one) {
  const scan = one.pages > 1 && el("span", { class: "facts" }, t("source.page", { page: `${one.page}/${one.pages}` }));
  return el("li", { class: "card" }, el("div", { class: "row" }, el("strong", {}, one.source), scan, el("span", { class: "badge" }, named("stage", one.stage))));
}
