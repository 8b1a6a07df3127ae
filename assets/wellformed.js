// Half of a UTF-16 pair can't be sent: Streamlit would drop the whole message, and nothing would happen on the page.
// What is typed or pasted gets U+FFFD in its place, before anybody sees it; Python then says so.
function mend({ target }) {
  if (typeof target?.value !== "string" || target.value.isWellFormed()) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").set.call(target, target.value.toWellFormed());
}

export default function wellformed() {
  document.addEventListener("input", mend, true); // the same function is never added twice
}
