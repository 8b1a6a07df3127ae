
// In a notebook's frame: the keys for saving are the notebook's; it hears of them from saving.js.
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
  event.preventDefault();
  parent.postMessage({ tokensteps: "save", ctrlKey: event.ctrlKey, metaKey: event.metaKey }, "*");
});
