
// Follows flipbook.js in a standalone file: the frames lie in the file, the step in the address's #fragment.
const message = JSON.parse(document.getElementById("data").textContent);
const linked = /^#(\d+)$/.exec(location.hash);
if (linked) message.seek[0] = Number(linked[1]);
flipbook({
  data: JSON.stringify(message),
  parentElement: document.getElementById("book").shadowRoot,
  setStateValue(_name, [, step]) {
    try { history.replaceState(null, "", `#${step}`); } catch { /* a sandboxed frame has no history */ }
  },
});
