// The clipboard, also where the page came by plain HTTP and the browser keeps the newer way to it from us.

/** Copy a text; says whether it could. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

function copiedByHand(text) {
  const field = document.createElement("textarea");
  const held = document.activeElement;
  field.value = text;
  field.className = "hidden";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  held?.focus();
  return done;
}
