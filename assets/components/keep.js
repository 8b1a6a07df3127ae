// Keeps a sealed text for this tab of the browser, where it outlives a reload and the server. With none to keep, it hands over what is
// there, once: whoever takes it keeps it again.
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
