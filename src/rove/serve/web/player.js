// A recording beside its text: it is fetched when one wants to hear it, and plays from the second that is cited.

import { here, picture } from "./api.js";
import { el } from "./dom.js";
import { t } from "./words.js";

/** A button that plays a recording, "audio" or "video", from a time on, and then its player; `told`: see GET …/places. */
export function player({ document_id, title }, told, { signal }) {
  let media = null;
  let time = told.time;
  const button = el("button", { type: "button", class: "quiet", on: { click: play } });
  const host = el("div", { class: "player", role: "group", "aria-label": title }, button);
  name();

  function name() {
    button.textContent = `▶ ${t("source.play", { time: time ? time.clock.split("–")[0] : "0:00" })}`;
  }

  async function play() {
    button.disabled = true;
    try {
      media ??= await loaded();
      media.currentTime = time?.start_s ?? 0;
      await media.play();
    } catch (problem) {
      if (problem.name !== "AbortError") host.append(el("p", { class: "muted", role: "alert" }, problem.message));
    } finally {
      button.disabled = false;
    }
  }

  async function loaded() {
    const address = await picture(here("/recording", { document_id }), signal);
    signal.addEventListener("abort", () => URL.revokeObjectURL(address));
    const made = el(told.recording, { controls: true, src: address });
    signal.addEventListener("abort", () => made.pause());
    host.append(made);
    return made;
  }

  /** Be at another time. */
  const goTo = (other) => {
    time = other ?? time;
    name();
    if (media && other) media.currentTime = other.start_s;
  };
  return { host, goTo };
}
