// Keeps a sealed text for this tab of the browser, where it outlives a reload and the server. Without a text to keep,
// it hands over the one that is there, once: whoever takes it has it kept again. What is `lasting` is kept for all tabs
// and outlives them; it stays there until it is erased, of which every tab is told.
const GIVEN = Symbol.for("tokensteps.given"); // on the root: the text that was handed over
const HEARD = Symbol.for("tokensteps.heard"); // on the root: what listens to the other tabs

function hear(root, name, tell) {
  root[HEARD]?.abort();
  const { signal } = root[HEARD] = new AbortController();
  addEventListener("storage", ({ key, newValue }) => {
    if ((key === name && newValue === null) || key === null) tell(); // null: everything was
  }, { signal });
}

export default function keep({ data: { place, text, lasting, erased }, parentElement: root, setTriggerValue }) {
  const name = `tokensteps.${place}`;
  if (lasting) hear(root, name, () => setTriggerValue("erased", true));
  try {
    const storage = lasting ? localStorage : sessionStorage;
    const kept = storage.getItem(name);
    if (text) {
      storage.setItem(name, text);
    } else if (erased) {
      storage.removeItem(name);
    } else if (kept && root[GIVEN] !== kept) {
      root[GIVEN] = kept;
      if (!lasting) storage.removeItem(name);
      setTriggerValue("kept", kept);
    }
  } catch {} // a browser that keeps nothing, or no more
  return () => setTimeout(() => root.isConnected || root[HEARD]?.abort());
}
