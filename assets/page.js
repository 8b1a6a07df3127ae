// What the whole page needs, whatever it shows.

// Half of a UTF-16 pair can't be sent: Streamlit would drop the whole message, and nothing would happen on the page.
// What is typed or pasted gets U+FFFD in its place, before anybody sees it; Python then says so.
function mend({ target }) {
  if (typeof target?.value !== "string" || target.value.isWellFormed()) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").set.call(target, target.value.toWellFormed());
}

// Coming from another page, the address is bare until Python has written what the page remembers. That is no step of the
// reader's: it takes the place of the bare address, or Back would lead there.
let arrived = false;
const act = () => { arrived = false; };
function tidy(event) {
  const from = new URL(location.href), to = new URL(event.destination.url);
  if (from.pathname !== to.pathname) {
    arrived = event.navigationType === "push";
    return;
  }
  if (!arrived || from.search || event.navigationType !== "push" || !event.cancelable) return;
  event.preventDefault();
  queueMicrotask(() => history.replaceState(history.state, "", to));
}

// A question that is answered gives way to the next one, which may have another kind of box: the focus goes with it.
let answered; // the form, and until when its next box may take the focus
function submit({ type, key, target }) {
  const form = (type === "click" || key === "Enter" || key === " ") && target.closest?.('[data-testid="stForm"]');
  answered = form ? { form, until: performance.now() + 4000 } : undefined; // whoever goes elsewhere meanwhile is let go
}
new MutationObserver(() => {
  if (!answered || document.activeElement !== document.body) return;
  if (performance.now() < answered.until) answered.form.querySelector("input, textarea")?.focus({ preventScroll: true });
  answered = undefined;
}).observe(document.body, { childList: true, subtree: true });

export default function page() { // the same function is never added twice
  document.addEventListener("input", mend, true);
  globalThis.navigation?.addEventListener("navigate", tidy);
  for (const event of ["pointerdown", "keydown"]) document.addEventListener(event, act, true);
  for (const event of ["click", "keydown"]) document.addEventListener(event, submit, true);
}
