// What the browser keeps: the key, the name of who was here last, the space, the language, the theme, the way of answering, and what was begun to be written. Nothing else is ever written down here.

const PREFIX = "rove.";
const LANGUAGES = ["en", "de", "hu", "zh", "ja"];
const WAYS = ["answer", "search", "walk", "database"];

function read(area, name) {
  try {
    return area.getItem(PREFIX + name) ?? "";
  } catch {
    return ""; // storage is off: the page works, and forgets
  }
}

function write(area, name, value) {
  try {
    if (value) area.setItem(PREFIX + name, value);
    else area.removeItem(PREFIX + name);
  } catch {
    return;
  }
}

/** The names of all drafts that are kept. */
function drafts() {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(`${PREFIX}draft.`)).map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

let key = read(sessionStorage, "key") || read(localStorage, "key");

/** A link to a source names its space: "/?space=hr#/document/ID/START-END". */
const linked = new URLSearchParams(location.search).get("space");
if (linked) write(localStorage, "space", linked);

export const store = {
  languages: LANGUAGES,
  ways: WAYS,
  session: { ways: { open: false, keys: false, password: false, oidc: [] }, person: null },
  rights: [],
  spaces: [],
  get key() {
    return key;
  },
  get remembered() {
    return Boolean(read(localStorage, "key"));
  },
  /** Keep the key for this tab, or on this machine if `remember`. */
  setKey(value, remember) {
    key = value;
    write(sessionStorage, "key", remember ? "" : value);
    write(localStorage, "key", remember ? value : "");
  },
  /** Somebody is here: what another one had begun to write is forgotten. */
  arrive(name) {
    const last = read(localStorage, "who");
    if (last && last !== name) this.forgetDrafts();
    write(localStorage, "who", name);
  },
  get person() {
    return this.session.person;
  },
  /** Whether people and keys are this person's to manage: all rights, in every space. */
  get manages() {
    return Boolean(this.person?.rights.includes("admin") && this.person.spaces.includes("*"));
  },
  /** Where somebody was who has left the page to sign in elsewhere. */
  get back() {
    return read(sessionStorage, "back");
  },
  set back(value) {
    write(sessionStorage, "back", value);
  },
  get space() {
    const wanted = read(localStorage, "space");
    return this.spaces.length && !this.spaces.includes(wanted) ? this.spaces[0] : wanted || "default";
  },
  set space(value) {
    write(localStorage, "space", value);
  },
  get theme() {
    const theme = read(localStorage, "theme");
    return theme === "dark" || theme === "light" ? theme : "auto";
  },
  set theme(value) {
    write(localStorage, "theme", value === "auto" ? "" : value);
  },
  get language() {
    const wanted = [read(localStorage, "language"), ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
    return wanted.find((tag) => LANGUAGES.includes(tag)) ?? "en";
  },
  set language(value) {
    write(localStorage, "language", value);
  },
  get way() {
    const way = read(localStorage, "way");
    return WAYS.includes(way) ? way : WAYS[0];
  },
  set way(value) {
    write(localStorage, "way", value === WAYS[0] ? "" : value);
  },
  /** What was begun to be written in a conversation, by its id; "" is the new one. */
  draft(id) {
    return read(localStorage, `draft.${this.space}.${id}`);
  },
  setDraft(id, text) {
    write(localStorage, `draft.${this.space}.${id}`, text);
  },
  /** Forget what was begun to be written: somebody else may come. */
  forgetDrafts() {
    for (const name of drafts()) write(localStorage, name, "");
  },
  may(right) {
    return this.rights.includes(right);
  },
};
