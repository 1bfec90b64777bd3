// Files that are dragged onto the page, wherever on it; of a folder, all that lies in it.

let taker = null;
let waiting = null;

/** Hear of drags as long as the page stands. What is dropped where nobody takes files waits, and `lead` leads there. */
export function hearDrops(lead) {
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // else the browser would leave the page and open the file
    document.body.classList.add("dragging");
  };
  addEventListener("dragenter", over);
  addEventListener("dragover", over);
  addEventListener("dragleave", (event) => !event.relatedTarget && document.body.classList.remove("dragging"));
  addEventListener("drop", async (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.remove("dragging");
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const handed = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() })); // gone after this turn
    const files = (await Promise.all(handed.map(({ entry, file }) => (entry ? inside(entry) : [{ name: file.name, file }])))).flat();
    if (taker) taker(files);
    else {
      waiting = files;
      lead();
    }
  });
}

/** Take what is dropped, [{name, file}], until the signal; first what has waited. */
export function takeDrops(take, signal) {
  taker = take;
  signal.addEventListener("abort", () => {
    if (taker === take) taker = null;
  });
  const files = waiting;
  waiting = null;
  if (files) take(files);
}

/** The files of an entry, each by its way from there: names in two folders are two names. */
async function inside(entry, way = "") {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [{ name: way + file.name, file }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed)); // a hundred at a time
    if (!some.length) break;
    found.push(...some);
  }
  found.sort((a, b) => a.name.localeCompare(b.name));
  return (await Promise.all(found.map((one) => inside(one, `${way}${entry.name} › `)))).flat();
}
