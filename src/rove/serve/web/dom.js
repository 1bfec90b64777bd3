// Elements, made without HTML: whatever a document says is put in as text, and stays text.

/** Make an element. `props`: `class`, `on` (listeners), `data`, properties like `value`; all others are attributes. */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "class") made.className = value;
    else if (name === "value" || name === "checked" || name === "disabled") made[name] = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  return put(made, children);
}

/** Make an element of a drawing; all `props` are attributes. */
export function svg(tag, props = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Put these in the place of all that is in an element. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return put(parent, children);
}

function put(parent, children) {
  for (const child of children.flat(Infinity)) if (child !== undefined && child !== null && child !== false) parent.append(child);
  return parent;
}

let names = 0;

/** A label with its field: [label, field], tied together. */
export function labelled(text, field) {
  names += 1;
  field.id = `field-${names}`;
  return [el("label", { for: field.id }, text), field];
}

/** A field for files that looks like a button, and says its words: a browser would say its own, in its own language. */
export function filePicker(text, input) {
  return el("label", { class: "button file" }, text, input);
}

const HELD_MS = 1000;
let pressedAt = -HELD_MS;
addEventListener("pointerdown", () => (pressedAt = performance.now()), true);
for (const over of ["click", "pointercancel"]) addEventListener(over, () => (pressedAt = -HELD_MS), true);

/** Return what asks for `draw` at the next frame, once for all who ask. What is pressed stays until it is let go: a button that is drawn anew in between loses its click. */
export function calmly(draw) {
  let asked = false;
  const frame = () => {
    if (performance.now() - pressedAt < HELD_MS) {
      requestAnimationFrame(frame);
      return;
    }
    asked = false;
    draw();
  };
  return () => {
    if (!asked) requestAnimationFrame(frame);
    asked = true;
  };
}

/** Say something to who listens rather than looks. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** Characters as Python counts them: spans are in code points, JavaScript's strings in UTF-16. */
export function points(text) {
  return Array.from(text);
}
