// Keeps a sealed text for this tab of the browser: there it outlives a reload and the server. Without a text to keep,
// it hands over the old one, once; its reader has it kept again, perhaps after another reload. A `lasting` text is kept
// for all tabs and outlives them; it stays there until it is erased, and every tab hears of that. Below it, a line
// each, are the `most` - 1 latest ones of other tabs, handed over once for each page until their reader knows them.
const RETURNED = Symbol.for("tokensteps.returned"); // on the root: page and lines handed over
const LISTENER = Symbol.for("tokensteps.listener"); // on the root: the listener to the other tabs
const erasedNames = new Set(); // those with nothing kept since: another tab may have kept something
const endedTexts = new Set(); // erased by another tab: drawn again with one, this tab doesn't bring it back
const knownLines = new Set(); // kept by this tab, or known to its reader

function listen(root, name, onErased) {
  root[LISTENER]?.abort();
  const { signal } = root[LISTENER] = new AbortController();
  addEventListener("storage", ({ key, newValue }) => {
    if ((key === name && newValue === null) || key === null) onErased(); // null: everything was
  }, { signal });
}

export default function keep({ data, parentElement: root, setTriggerValue }) {
  const { place, text, lasting, erased, page = "", known = "", most = 1 } = data, name = `tokensteps.${place}`;
  if (lasting) listen(root, name, () => {
    endedTexts.add(text);
    setTriggerValue("erased", true);
  });
  known.split("\n").forEach((line) => knownLines.add(line));
  try {
    const storage = lasting ? localStorage : sessionStorage;
    let lines = storage.getItem(name)?.split("\n") ?? [];
    if (text && !endedTexts.has(text)) {
      knownLines.add(text);
      lines = lines.filter((line) => !knownLines.has(line)).slice(0, most - 1);
      storage.setItem(name, [text, ...lines].join("\n"));
      erasedNames.delete(name);
    } else if (erased && !erasedNames.has(name)) {
      storage.removeItem(name);
      erasedNames.add(name);
      lines = [];
    } else {
      lines.forEach((line) => knownLines.delete(line)); // its reader may be a new one
    }
    const handed = lines.join("\n");
    if (handed && root[RETURNED] !== page + handed) {
      root[RETURNED] = page + handed;
      setTriggerValue("kept", handed);
    }
  } catch {} // a browser without storage, or without any more room
  return () => setTimeout(() => root.isConnected || root[LISTENER]?.abort());
}
