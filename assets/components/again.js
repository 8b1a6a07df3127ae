// After a lost connection, Streamlit's part in the browser asks for nothing while its page is at rest. If the session
// has gone with its server, nothing on the page would work any more: the new session knows none of its parts. So the
// page asks to be drawn again, and sends its address: Streamlit only knows Python's last address, while our scripts
// write the step and the language, also meanwhile. Typed text goes along: leaving a box hands it over.
let ask, addressLeft; // asks Python; the address when the connection was lost, with our scripts' later changes

new MutationObserver(([{ target }]) => {
  if (target.dataset.testConnectionState !== "CONNECTED") {
    addressLeft ??= location.search;
    return;
  }
  if (addressLeft === undefined) return;
  const address = addressLeft, active = document.activeElement;
  const typing = active?.matches("textarea,input:not([type=checkbox],[type=radio])");
  addressLeft = undefined;
  if (typing) active.blur();
  document.dispatchEvent(new Event("tokensteps:again")); // Python is about to write the address
  ask?.(address);
  if (typing) active.focus({ preventScroll: true });
}).observe(document.body, { subtree: true, attributeFilter: ["data-test-connection-state"] });
onEntry(({ navigationType, destination }) => {
  if (addressLeft !== undefined && navigationType === "replace") addressLeft = new URL(destination.url).search;
});

export default function again({ setTriggerValue }) {
  ask = (address) => setTriggerValue("address", address);
}
