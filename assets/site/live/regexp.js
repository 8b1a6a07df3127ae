// Where a pattern matches, as tokensteps/site/live/regexp.py asks: "all" matches, the "first" one, or one "here" at the
// text's beginning. Of each match and each of its groups from where to where, in characters as Python counts them.

const patterns = new Map(); // requested patterns, compiled

function compiled(source, flags) {
  const name = `${flags}/${source}`;
  if (!patterns.has(name)) patterns.set(name, new RegExp(source, flags));
  return patterns.get(name);
}
function inCharacters(text) { // from a place among UTF-16 units to one among characters; null if they are the same
  if (!/[\u{10000}-\u{10ffff}]/u.test(text)) return null;
  const places = new Int32Array(text.length + 1);
  let offset = 0, number = 0;
  for (const character of text) {
    places.fill(number++, offset, offset + character.length);
    offset += character.length;
  }
  places[offset] = number;
  return places;
}
function matches(source, way, text, grouped) {
  const places = grouped ? "d" : ""; // of groups: they cost as much again, and most patterns have none
  if (way === "all") return [...text.matchAll(compiled(source, `gv${places}`))];
  const pattern = compiled(source, `${way === "here" ? "y" : ""}v${places}`);
  pattern.lastIndex = 0;
  const match = pattern.exec(text);
  return match ? [match] : [];
}
globalThis.regexpPlaces = (source, way, text, grouped) => {
  const places = matches(source, way, text, grouped)
    .flatMap((match) => match.indices ? match.indices.flatMap((pair) => pair ?? [-1, -1])
      : [match.index, match.index + match[0].length]);
  const characters = inCharacters(text);
  return Int32Array.from(characters ? places.map((index) => (index < 0 ? index : characters[index])) : places);
};
