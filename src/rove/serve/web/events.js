// Server-sent events from a fetched reply: EventSource can send neither a key nor a body.

/** Yield {event, data} for each event of a stream of bytes, however it is cut: also within a character. */
export async function* events(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await read(reader);
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const told = one(block);
        if (told) yield told;
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A connection that breaks ends the stream where it was cut: what is missing is for the caller to see. */
async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { done: true };
  }
}

function one(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}
