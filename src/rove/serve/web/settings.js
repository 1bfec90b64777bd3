// Settings: who is here; the space, the page's language, its colours, which stay in this browser.

import { account } from "./account.js";
import { el, fill, labelled } from "./dom.js";
import { LANGUAGE_NAMES } from "./look.js";
import { store } from "./store.js";
import { t } from "./words.js";

export async function settings(main, { refresh, signal }) {
  const more = el("div", { class: "admin" });
  fill(main, el("h1", {}, t("settings.title")), lookForm(refresh), account(refresh), more);
  if (store.manages) await (await import("./admin_settings.js")).adminSettings(more, { signal });
}

function lookForm(refresh) {
  const select = (name, options, chosen) => {
    const field = el("select", {}, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
    field.addEventListener("change", async () => {
      store[name] = field.value;
      await refresh();
    });
    return field;
  };
  const spaces = store.spaces.map((name) => [name, name]);
  const themes = ["auto", "light", "dark"].map((name) => [name, t(`settings.theme.${name}`)]);
  return el(
    "form",
    { class: "plain", on: { submit: (event) => event.preventDefault() } },
    spaces.length > 0 && labelled(t("settings.space"), select("space", spaces, store.space)),
    labelled(t("settings.language"), select("language", Object.entries(LANGUAGE_NAMES), store.language)),
    labelled(t("settings.theme"), select("theme", themes, store.theme)),
  );
}
