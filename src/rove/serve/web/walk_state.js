// What a walk's events add up to: the same fold while it goes, when it is taken up, and when it is told again.

/** The state of a walk that has told nothing. */
export function begun() {
  return { at: 0, walkId: "", forked: null, question: "", mode: "", budget: {}, spent: {}, rounds: [], facts: new Map(), leads: new Map(), sources: new Map(), paused: false, stopped: null, answer: null, warnings: [], draft: [] };
}

function roundOf(state, number) {
  let round = state.rounds.find((one) => one.number === number);
  if (!round) {
    round = { number, at: 0, follows: [], seen: [], facts: [], rejected: [], followed: [], judged: null };
    state.rounds.push(round);
  }
  return round;
}

const FOLD = {
  WalkStarted: (state, told) => Object.assign(state, { walkId: told.walk_id, question: told.question, mode: told.mode, budget: told.budget, forked: forkedAt(told.forked_from) }),
  RoundStarted: (state, told) => (roundOf(state, told.round).follows = told.lead_ids),
  ChunkSeen: (state, told) => roundOf(state, told.round).seen.push(told),
  ChunksRead: (state) => (state.draft = []),
  FactDelta: (state, told) => (state.draft[told.place] = told.fields.fact ?? told.fields.text ?? ""),
  FactFound(state, { fact }) {
    state.facts.set(fact.fact_id, { ...fact, at: state.at, dropped: "" });
    roundOf(state, fact.round).facts.push(fact.fact_id);
    state.draft = [];
  },
  FactRejected: (state, told) => roundOf(state, told.round).rejected.push(told),
  FactDropped: (state, told) => change(state.facts, told.fact_id, { dropped: told.reason }),
  LeadFound: (state, { lead }) => state.leads.set(lead.lead_id, { ...lead, at: state.at, state: "open", reason: "" }),
  LeadFollowed(state, told) {
    change(state.leads, told.lead_id, { state: "followed", reason: told.reason, chunks: told.chunks, in: told.round });
    roundOf(state, told.round).followed.push(told);
  },
  LeadDropped: (state, told) => change(state.leads, told.lead_id, { state: "dropped", reason: told.reason }),
  Judged: (state, told) => (roundOf(state, told.round).judged = told),
  Used: (state, told) => (state.spent = told.spent),
  Warned: (state, told) => state.warnings.push(told.text),
  Paused: (state) => (state.paused = true),
  Resumed: (state) => Object.assign(state, { paused: false, stopped: null, answer: null }),
  Edited: (state, { edit }) => edited(state, edit),
  Stopped: (state, told) => Object.assign(state, { stopped: told, spent: told.spent, draft: [] }),
  Answered: (state, told) => (state.answer = told.answer),
};

const IN_ROUND = new Set(["RoundStarted", "ChunkSeen", "ChunksRead", "FactFound", "FactRejected", "LeadFound", "LeadFollowed", "LeadDropped", "Judged"]);

/**
 * Take in one event. What a later version tells beyond these is passed over. `at` counts the events that are kept, from
 * 1, as POST …/fork does: each round, fact and lead has the number of the event after which another walk can go on.
 */
export function fold(state, name, data) {
  if (name !== "FactDelta") state.at += 1;
  FOLD[name]?.(state, data);
  if (IN_ROUND.has(name) && state.rounds.length) state.rounds.at(-1).at = state.at;
  if (state.forked && state.at === state.forked.at) state.forked.round = state.rounds.at(-1)?.number ?? 0;
  return state;
}

/** What "walk:event" says: of which walk this is a fork, and after which of its events. */
function forkedAt(text) {
  const [, walkId, at] = /^([^:]+):(\d+)$/.exec(text ?? "") ?? [];
  return walkId ? { walkId, at: Number(at), round: 0 } : null;
}

function change(table, id, fields) {
  const known = table.get(id);
  if (known) Object.assign(known, fields);
}

function edited(state, edit) {
  Object.assign(state, { stopped: null, answer: null }); // what was over can go on
  if (edit.question) state.question = edit.question;
  if (edit.budget) state.budget = edit.budget;
  for (const fact of edit.facts ?? []) {
    const known = state.facts.get(fact.fact_id);
    state.facts.set(fact.fact_id, { at: state.at, ...known, ...fact, round: known?.round ?? fact.round, dropped: "" });
    if (!known) roundOf(state, fact.round || state.rounds.at(-1)?.number || 1).facts.push(fact.fact_id);
  }
  for (const lead of edit.leads ?? []) state.leads.set(lead.lead_id, { at: state.at, ...state.leads.get(lead.lead_id), ...lead, state: "open", reason: "" });
  for (const id of edit.dropped ?? []) {
    change(state.facts, id, { dropped: "user" });
    change(state.leads, id, { state: "dropped", reason: "user" });
  }
}
