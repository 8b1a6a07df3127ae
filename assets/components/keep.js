// Keeps a sealed text for this tab of the browser, where it outlives a reload and the server. Without a text to keep,
// it hands over the one that is there, once: whoever takes it has it kept again.
export default function keep({ data: { place, text }, setTriggerValue }) {
  const name = `tokensteps.${place}`;
  try {
    const kept = sessionStorage.getItem(name);
    if (text) {
      sessionStorage.setItem(name, text);
    } else if (kept) {
      sessionStorage.removeItem(name);
      setTriggerValue("kept", kept);
    }
  } catch {} // a browser that keeps nothing, or no more
}
