// Every pattern of the page's scripts, on runs of every pair of signs: prints those that take time with the square of a text's length.
import { readdirSync, readFileSync } from "node:fs";
import { cpuUsage } from "node:process";

const LITERAL = /(?<![\w)\]/*])\/(?![/*\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;
const SIGNS = [..." \ta1é中([{)]}!*_-=`~|\\:#>.,<&\"/+$'%?\n\ufdd0", "![", "](", "[a](", "1.", "- ", "> ", "&#", ' "'];
const [folder, size, most_ms] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

function time(pattern, text) {
  const began = cpuUsage().user;
  pattern.lastIndex = 0;
  if (pattern.sticky) {
    for (let at = 0; at < text.length; ) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      at = found?.[0] ? pattern.lastIndex : at + 1;
    }
  } else if (pattern.global) [...text.matchAll(pattern)];
  else [pattern.test(text), text.split(pattern)];
  return (cpuUsage().user - began) / 1000;
}

function* texts(chars) {
  for (const one of SIGNS) {
    for (const before of ["", "[", "(", "`", "- ", "1", '"', "<"]) for (const after of ["", "\0", "x", "["]) yield before + one.repeat(chars / one.length) + after;
    for (const other of SIGNS) if (other !== one) yield (one + other).repeat(chars / (one + other).length) + "\0";
  }
}

let tried = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
  for (const line of readFileSync(`${folder}/${file}`, "utf8").split("\n")) {
    if (/^\s*(\/\/|\*|\/\*)/.test(line)) continue;
    for (const [written, source, flags] of line.matchAll(LITERAL)) {
      let pattern;
      try {
        pattern = new RegExp(source, flags);
      } catch {
        continue; // a division, or part of a text
      }
      tried += 1;
      const slow = [...texts(size)].find((text) => time(pattern, text) > most_ms && time(pattern, text) > most_ms);
      if (slow) console.log(`${file}: ${written} on ${JSON.stringify(slow.slice(0, 12))}…`);
    }
  }
}
console.error(`${tried} patterns`);
