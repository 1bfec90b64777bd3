// Parts of drawings whose boxes can be pressed: by the mouse, and by the keyboard, which goes past all of them at once.

export const LETTER = 7.2; // the width of a letter, in units of a drawing
const LINES = 2; // in a box
const WIDE = /[\u2E80-\uFFEF]/; // letters that are two wide
const NEXT = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const LAST = 1e9;

/** Let a drawn box be pressed. */
export function pressed(box, act) {
  box.addEventListener("click", act);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act(event);
  });
  return box;
}

/** The arrows go from one box of a drawing to the next; the tabulator goes past all of them at once. */
export function rove(drawing) {
  drawing.addEventListener("keydown", move);
  drawing.querySelector("[role=button]")?.setAttribute("tabindex", 0);
}

function move(event) {
  const nodes = [...event.currentTarget.querySelectorAll("[role=button]")];
  const at = nodes.indexOf(event.target);
  const to = { Home: 0, End: nodes.length - 1 }[event.key] ?? at + (NEXT[event.key] ?? LAST);
  if (!nodes[to]) return;
  event.preventDefault();
  nodes[at]?.setAttribute("tabindex", -1);
  nodes[to].setAttribute("tabindex", 0);
  nodes[to].focus();
}

/** A text in at most `LINES` lines of so many letters, broken between words where there are any. */
export function lines(text, most) {
  const found = [""];
  let room = most;
  for (const word of text.match(/[\u2E80-\uFFEF]|\s+|[^\s\u2E80-\uFFEF]+/g) ?? []) {
    const width = [...word].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
    if (width > room && found.at(-1)) {
      if (found.length === LINES) return shortened(found, room);
      found.push("");
      room = most;
    }
    if (!found.at(-1) && !word.trim()) continue;
    found[found.length - 1] += width > most ? `${[...word].slice(0, most - 1).join("")}…` : word;
    room -= Math.min(width, most);
  }
  return found;
}

function shortened(lines, room) {
  const last = lines.at(-1).trimEnd();
  return [...lines.slice(0, -1), room > 0 || last !== lines.at(-1) ? `${last}…` : `${last.slice(0, -1)}…`];
}
