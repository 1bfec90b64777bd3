// Small line drawings for buttons and links; what they mean is said beside them, in words.

import { el, svg } from "./dom.js";

const PATHS = {
  add: "M12 16V5M7 10l5-5 5 5M5 19h14",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  documents: "M7 3h7l5 5v13H7zM14 3v5h5",
  down: "M17 13V4h3v9zM17 13l-4 8a2.5 2.5 0 0 1-2.5-2.5V15h-5a2 2 0 0 1-2-2.4l1.3-6.9a2 2 0 0 1 2-1.7H17",
  download: "M12 4v11M7 10l5 5 5-5M5 19h14",
  edit: "M4 20l1-4L16 5l3 3L8 19zM13.5 7.5l3 3",
  expand: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
  flows: "M4 6h6v5H4zM14 13h6v5h-6zM10 8.5h3a2 2 0 0 1 2 2V13",
  lab: "M9 3h6M10 3v6l-5 9a2 2 0 0 0 1.8 3h10.4a2 2 0 0 0 1.8-3l-5-9V3M7.5 15h9",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M4 7h16M7 12h10M10 17h4",
  people: "M12.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0M2.5 20c0-3.6 2.6-6 6.5-6s6.5 2.4 6.5 6M15.5 4.8a3.5 3.5 0 0 1 0 6.4M17.5 14.4c2.5.6 4 2.6 4 5.6",
  plus: "M12 5v14M5 12h14",
  review: "M4 12l4 4 9-10M13 18h7M17 13h3",
  search: "M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0M20.5 20.5L16 16",
  send: "M12 19V5M6 11l6-6 6 6",
  settings: "M4 7h8M18 7h2M4 17h2M12 17h8M15 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6M9 20a3 3 0 1 0 0-6 3 3 0 0 0 0 6",
  share: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
  stop: "M7 7h10v10H7z",
  tools: "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5l-2.5 2.5-3-3z",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  up: "M7 11v9H4v-9zM7 11l4-8a2.5 2.5 0 0 1 2.5 2.5V9h5a2 2 0 0 1 2 2.4l-1.3 6.9a2 2 0 0 1-2 1.7H7",
  walk: "M6 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4M18 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8 18h7a3 3 0 0 0 0-6H9a3 3 0 0 1 0-6h7",
};

/** The drawing of a name; none, where there is none of it. */
export function icon(name) {
  const path = PATHS[name];
  return path && svg("svg", { class: "icon", viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: path }));
}

/** A button that is a drawing, with its words for who does not see it, and for who points at it. */
export function iconButton(name, label, press, more = "") {
  return el("button", { type: "button", class: `icon-button ${more}`.trim(), "aria-label": label, title: label, on: { click: press } }, icon(name));
}
