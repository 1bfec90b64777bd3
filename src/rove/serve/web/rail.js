// The rail beside every view: to begin anew, to go elsewhere, and the conversations. On a narrow screen it is a drawer.

import { signOut } from "./account.js";
import { drawConversations } from "./conversations.js";
import { el, fill } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { store } from "./store.js";
import { named, t } from "./words.js";

const rail = document.getElementById("rail");
const drawer = document.getElementById("drawer");
const top = document.getElementById("top");
const inside = el("div", { class: "rail-inside" });

/** Draw it: a link for each of these names of views. `moved` is called when another space was chosen. */
export function drawRail(links, moved) {
  drawTop();
  fill(
    inside,
    el("div", { class: "rail-top" }, brand(), iconButton("close", t("nav.close"), () => drawer.close(), "drawer-only")),
    el("a", { class: "button main new", href: "#/ask", on: { click: anew } }, icon("plus"), t("nav.new")),
    store.spaces.length > 1 && spaces(moved),
    el("nav", { "aria-label": t("nav.label") }, el("ul", {}, links.map((name) => el("li", {}, el("a", { href: `#/${name}`, data: { link: name } }, icon(name), t(`nav.${name}`)))))),
    store.may("read") && drawConversations(),
    me(moved),
  );
  if (!drawer.open) fill(rail, inside);
}

/** Show where we are: at which of the links. */
export function markRail(link) {
  for (const one of inside.querySelectorAll("[data-link]")) {
    if (one.dataset.link === link) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

function drawTop() {
  fill(top, iconButton("menu", t("nav.menu"), openDrawer), brand(), el("a", { class: "icon-button", href: "#/ask", "aria-label": t("nav.new"), title: t("nav.new") }, icon("plus")));
}

export function brand() {
  return el("a", { class: "brand", href: "#/ask" }, el("img", { src: "web/icon.svg", alt: "", width: 24, height: 24 }), "Rove");
}

function spaces(moved) {
  const change = (event) => {
    store.space = event.target.value;
    if (location.hash.startsWith("#/c/")) history.replaceState(null, "", "#/ask"); // it is of the other space
    moved();
  };
  return el("select", { "aria-label": t("settings.space"), on: { change } }, store.spaces.map((name) => el("option", { value: name, selected: name === store.space }, name)));
}

/** Who is here, at the rail's foot; nobody where nobody has to sign in. */
function me(moved) {
  const { person } = store;
  if (!person || person.way === "local") return null;
  const what = person.role ? named("role", person.role) : named("account.way", person.way);
  return el(
    "div",
    { class: "me" },
    el("a", { href: "#/settings", "aria-label": `${t("account.title")}: ${person.full_name || person.name}` }, el("strong", {}, person.full_name || person.name), el("span", {}, what)),
    iconButton("leave", t("account.sign-out"), () => (drawer.close(), signOut(moved))),
  );
}

/** Where a new conversation is open already, its box is what is wanted. */
function anew() {
  if (location.hash !== "#/ask") return;
  drawer.close();
  document.querySelector(".ask-form > textarea")?.focus();
}

/** The same rail, as a dialog: the browser keeps the focus in it, and gives it back. */
function openDrawer() {
  drawer.setAttribute("aria-label", t("nav.menu"));
  fill(drawer, inside);
  drawer.showModal();
}

drawer.addEventListener("close", () => fill(rail, inside));
drawer.addEventListener("click", (event) => {
  if (event.target === drawer) drawer.close(); // beside it
});
addEventListener("hashchange", () => drawer.close());
