// A run of a flow as it stands: folded from what the server tells while it goes on, or from what it has kept of it.

const KEY = /^(\w+?)(?:@(\d+))?(?:#(\d+))?\??$/;
const STATES = { started: "running" };

/** A run that is about to begin. `steps`: by their keys, as "found@2#0": the step, its round, its element. */
export function fresh(flow, given = {}) {
  return { flow, given, runId: "", status: "new", steps: new Map(), draft: "", waiting: [], output: {}, reason: "", note: "" };
}

/** A run as the server has kept it. */
export function kept(told) {
  const steps = new Map(told.steps.map((one) => [one.key, { ...one, told: true }]));
  for (const { key } of told.waiting) steps.set(key, { key, state: "waits" });
  return { ...fresh(told.flow, told.given), ...told, runId: told.run_id, steps };
}

/** Take what the server tells of a run that goes on. */
export function fold(state, event, data) {
  if (event === "run") state.runId = data.run_id;
  if (event === "delta") state.draft += data.text;
  if (event === "step") state.steps.set(data.key, { ...state.steps.get(data.key), ...data, state: STATES[data.state] ?? data.state });
  if (event === "output") Object.assign(state, { status: data.status, waiting: data.waiting, output: data.output, draft: "" });
}

/** A run that nobody listens to any more: what was under way is not. */
export function cut(state, status) {
  Object.assign(state, { status, draft: "" });
  for (const [key, one] of state.steps) if (one.state === "running") state.steps.delete(key);
}

/** What is known of a step: of each round and element, in their order. */
export function ofStep(state, name) {
  return [...state.steps.values()].map((one) => ({ ...one, ...placeOf(one.key) })).filter((one) => one.name === name);
}

/** How a step stands as a whole: {state, seconds, round, times}. */
export function standing(state, name) {
  const all = ofStep(state, name);
  const some = (word) => all.some((one) => one.state === word);
  const otherwise = state.status === "done" ? "skipped" : "idle";
  const word = some("running") ? "running" : some("waits") ? "waits" : (all.at(-1)?.state ?? otherwise);
  const done = all.filter((one) => one.state === "finished");
  return { state: word, seconds: done.reduce((sum, one) => sum + one.seconds, 0), round: Math.max(0, ...all.map((one) => one.round)), times: done.length };
}

function placeOf(key) {
  const [, name = key, round, place] = KEY.exec(key) ?? [];
  return { name, round: Number(round ?? 0), place: place === undefined ? null : Number(place) };
}
