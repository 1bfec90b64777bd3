// What can be asked for rows: databases, and the tables in documents. Each space is asked once, as long as the page stands.

import { get, here } from "./api.js";
import { store } from "./store.js";
import { t } from "./words.js";

const known = new Map();

/** The places that can be asked, as [value, name] each; "" stands for the tables in documents. */
export function askable() {
  const { space } = store;
  if (!known.has(space)) known.set(space, ask(space));
  return known.get(space);
}

async function ask(space) {
  try {
    const told = await get(here("/databases"));
    return [...told.databases.map((name) => [name, name]), ...(told.tables ? [["", t("sql.tables")]] : [])];
  } catch {
    known.delete(space); // it is asked for again with the next box
    return [];
  }
}
