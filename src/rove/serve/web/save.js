// Something that the server has, saved as a file: fetched with the reader's key, which a link could not send.

import { picture } from "./api.js";
import { el } from "./dom.js";

const KEPT_MS = 60_000;

/** Save what stands at an address of the server under a name. */
export async function saveAs(path, name) {
  const address = await picture(path);
  const link = el("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
