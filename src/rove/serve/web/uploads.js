// What is handed in, wherever on the page: files in as many uploads as they need, each a job that is watched to its end.

import { here, Problem, told } from "./api.js";
import { el, filePicker, fill, say } from "./dom.js";
import { drawJob, drawSource, NEW } from "./job.js";
import { wrong } from "./states.js";
import { t } from "./words.js";

const MOST_FILES = 50; // of one upload: servers bound both
const MOST_BYTES = 100_000_000;

/** What takes files, and the place where its jobs are shown: {place, hand, files}. `ended` is told of each job that is done. */
export function uploads({ signal, labels = () => [], ended = () => {} }) {
  const jobs = el("div", { class: "list jobs" });
  const notice = el("div", { role: "status" });

  /** Hand something in, or follow a job that is under way (`method` GET), until it is done. */
  async function hand(name, path, given, method = "POST") {
    const body = el("div");
    const ends = el("ul", { class: "list" });
    const job = el("section", { class: "card", "aria-label": name }, el("h2", {}, name), body, ends);
    jobs.prepend(job);
    fill(body, drawJob(NEW));
    try {
      for await (const { data } of told(method, here(path), { ...given, signal })) {
        fill(body, drawJob(data));
        while (ends.children.length > data.first) ends.lastChild.remove(); // it was begun again
        ends.append(...data.sources.map(drawSource));
        if (data.state !== "done") continue;
        say(t("add.done", { name }));
        ended();
        return;
      }
      throw new Problem({ title: t("problem.ended"), detail: t("add.goes-on") });
    } catch (problem) {
      if (problem.name !== "AbortError") fill(body, wrong(problem, () => (job.remove(), hand(name, path, given, method))));
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

  return { place: [notice, jobs], hand, files };
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

/** A button that opens the system's window for files, or for a whole folder. */
export function chooser(files, { folder = false } = {}) {
  const input = el("input", { type: "file", multiple: true, webkitdirectory: folder });
  input.addEventListener("change", () => {
    files([...input.files].map((file) => ({ name: (file.webkitRelativePath || file.name).replaceAll("/", " › "), file })));
    input.value = "";
  });
  return filePicker(t(folder ? "add.choose-folder" : "add.choose"), input);
}

/** The place that says that files can be dropped, which is true of the whole page. */
export function dropZone(files, ...more) {
  return el("div", { class: "drop" }, el("p", { class: "empty-title" }, t("add.drop")), el("div", { class: "row centred" }, chooser(files), chooser(files, { folder: true })), ...more);
}
