// A conversation on the page: its turns from the top down, and the box that the next one is asked in.

import { drawDraft } from "./answer.js";
import { erase, get, here, post, Problem, told } from "./api.js";
import { askBox } from "./box.js";
import { conversationAt, renewConversations } from "./conversations.js";
import { el, fill, say } from "./dom.js";
import { busy, wrong } from "./states.js";
import { turnOf } from "./turn.js";
import { t } from "./words.js";

const LOOK_MS = 1_500;
const [PATIENT_S, TRIES] = [2, 3]; // a question that was stopped is let go by the server a moment later
const running = new Map(); // what is being answered, by its conversation: it goes on while its reader looks elsewhere

/**
 * Make a conversation: {thread, box, show, ask, turns}. `id`: "" for one that is still to begin; `began(id, question)` is
 * called once it has, with "" where nothing came of it.
 */
export function talk({ id = "", value = "", way, signal, began = () => {} }) {
  const seat = { id, turns: [] };
  const thread = el("div", { class: "thread" });
  const box = askBox({ id, value, way, onAsk: (asked) => ask(asked), onStop: () => running.get(seat.id)?.control.abort() });
  const room = {
    get id() {
      return seat.id;
    },
    signal,
    again: (entry) => ask(askedOf(entry), entry.number - 1),
    edit: (entry, question) => ask({ ...askedOf(entry), question }, entry.number - 1),
  };

  /** Ask; the first `after` turns stay, and all others go: what was refused never was one. */
  async function ask(asked, after = seat.turns.filter((one) => !one.refused).length) {
    const before = running.get(seat.id);
    before?.control.abort();
    await before?.done;
    const gone = seat.turns.splice(after);
    for (const one of gone) one.host.remove();
    const turn = turnOf({ ...asked, number: after + 1 }, room);
    seat.turns.push(turn);
    thread.append(turn.host);
    reveal(turn);
    box.work(true);
    try {
      const fresh = seat.id ? "" : await begin(asked.question);
      await run(turn, { ...asked, stream: true, ...(gone.length > 0 && !fresh && { after }) });
      if (fresh && turn.refused) await unbegin();
      await renewConversations();
    } catch (problem) {
      turn.cut(problem);
    } finally {
      box.work(running.has(seat.id));
    }
  }

  async function begin(question) {
    seat.id = (await post(here("/conversations"), {})).conversation_id;
    box.keepAs(seat.id);
    began(seat.id, question);
    return seat.id;
  }

  /** What was refused before it began leaves no empty conversation behind. */
  async function unbegin() {
    const { entries } = await get(conversationAt(seat.id));
    if (entries.length) return;
    await erase(conversationAt(seat.id));
    box.keepAs("");
    seat.id = "";
    began("", "");
  }

  async function run(turn, body) {
    const { id } = seat;
    const control = new AbortController();
    const done = stream(turn, conversationAt(id, "/turns"), body, control.signal);
    running.set(id, { control, turn, done });
    await done;
    running.delete(id);
    box.work(false);
  }

  /** Show what the server has of it, and what is still being answered: here, or elsewhere. */
  function show(entries) {
    const now = running.get(seat.id);
    const kept = entries.filter((entry) => !now || entry.number < now.turn.number);
    seat.turns = kept.map((entry) => seat.turns.find((one) => one.number === entry.number && one.over) ?? drawn(entry));
    if (now) seat.turns.push(now.turn);
    fill(thread, seat.turns.map((turn) => turn.host));
    box.work(Boolean(now));
    if (now) now.done.then(look);
    else if (entries.some((entry) => entry.state === "asked")) setTimeout(look, LOOK_MS);
  }

  function drawn(entry) {
    const turn = turnOf(entry, room);
    turn.finish(entry);
    return turn;
  }

  async function look() {
    if (signal.aborted) return;
    try {
      show((await get(conversationAt(seat.id), signal)).entries);
    } catch (problem) {
      if (problem.name !== "AbortError") say(problem.message);
    }
  }

  document.addEventListener("rove:ask", ({ detail: { way = "answer", question, where, database } }) => ask({ way, question, ...(where && { where }), ...(way === "database" && { database }) }), { signal });
  return { thread, box, show, ask, turns: () => seat.turns };
}

/** Bring a turn to the top of what is seen. */
export function reveal(turn) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  turn.host.scrollIntoView({ block: "start", behavior: still ? "instant" : "smooth" });
}

/** What was asked in a turn, to be asked again. */
function askedOf({ way, question, where, mode, top_k, budget, database, sql }) {
  const rows = database ?? (sql?.database === "documents" ? "" : sql?.database);
  return { way, question, ...(where && { where }), ...(mode && { mode }), ...(top_k && { top_k }), ...(budget && { budget }), ...(way === "database" && { database: rows ?? "" }) };
}

/** Ask the server, and show what comes as it comes. */
async function stream(turn, path, body, signal) {
  const draft = growing();
  const state = busy(t("ask.searching"));
  fill(turn.body, state, draft.host);
  turn.body.setAttribute("aria-busy", "true");
  say(t("ask.searching"));
  let begun = false;
  try {
    for await (const { event, data } of patiently(path, body, signal)) {
      begun = true;
      if (event === "delta") {
        draft.add(data.text);
        state.lastChild.textContent = t("ask.checking");
      } else if (event === "entry") {
        turn.finish(data);
        say(data.answer?.text ?? data.sql?.text ?? (data.hits ? t("search.found", { count: data.hits.length }) : ""));
        return;
      }
    }
    throw new Problem({ title: t("problem.ended"), detail: t("problem.ended.text") });
  } catch (problem) {
    turn.refused = !begun && problem.name !== "AbortError";
    if (problem.name === "AbortError") say(t("ask.stopped"));
    turn.cut(problem, draft);
  } finally {
    draft.settle();
    turn.body.removeAttribute("aria-busy");
  }
}

async function* patiently(path, body, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      yield* told("POST", path, { body, signal });
      return;
    } catch (problem) {
      if (problem.status !== 429 || tries === TRIES || !(Number(problem.wait) <= PATIENT_S)) throw problem;
      await new Promise((done) => setTimeout(done, 1000 * Number(problem.wait)));
    }
  }
}

/** A text of which sentences are still to come; it is drawn once for what comes between two pictures of the screen. */
function growing() {
  const host = el("div", { class: "draft" });
  let text = "";
  let asked = 0;
  const draw = () => {
    asked = 0;
    drawDraft(host, text);
  };
  return {
    host,
    text: () => text,
    add(piece) {
      text += piece;
      asked ||= requestAnimationFrame(draw);
    },
    settle() {
      cancelAnimationFrame(asked);
      draw();
    },
  };
}
