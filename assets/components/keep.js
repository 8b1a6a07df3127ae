// Keeps a sealed text for this tab of the browser: there it outlives a reload and the server. Without a text to keep,
// it hands over the old one, once; its reader has it kept again, perhaps after another reload. A `lasting` text is kept
// for all tabs and outlives them; it stays there until it is erased, and every tab hears of that. Another tab's text is
// handed over where it would be overwritten: the reader has both kept.
const RETURNED = Symbol.for("tokensteps.returned"); // on the root: the text handed over
const LISTENER = Symbol.for("tokensteps.listener"); // on the root: the listener to the other tabs
const erasedNames = new Set(); // those with nothing kept since: another tab may have kept something
const lastTexts = new Map(); // by name: the text last kept by this tab, or handed over to it

function listen(root, name, onErased) {
  root[LISTENER]?.abort();
  const { signal } = root[LISTENER] = new AbortController();
  addEventListener("storage", ({ key, newValue }) => {
    if ((key === name && newValue === null) || key === null) onErased(); // null: everything was
  }, { signal });
}

export default function keep({ data: { place, text, lasting, erased }, parentElement: root, setTriggerValue }) {
  const name = `tokensteps.${place}`;
  if (lasting) listen(root, name, () => setTriggerValue("erased", true));
  try {
    const storage = lasting ? localStorage : sessionStorage;
    const stored = storage.getItem(name);
    if (text) {
      const another = lasting && stored && stored !== text && stored !== lastTexts.get(name);
      storage.setItem(name, text);
      lastTexts.set(name, text);
      erasedNames.delete(name);
      if (another) setTriggerValue("kept", stored);
    } else if (erased && !erasedNames.has(name)) {
      storage.removeItem(name);
      erasedNames.add(name);
    } else if (stored && root[RETURNED] !== stored) {
      root[RETURNED] = stored;
      lastTexts.set(name, stored);
      setTriggerValue("kept", stored);
    }
  } catch {} // a browser without storage, or without any more room
  return () => setTimeout(() => root.isConnected || root[LISTENER]?.abort());
}
