// Beside a notebook's frames: the keys for saving, pressed in one of them, are pressed in the notebook.
document.tokenstepsSaves ??= (addEventListener("message", ({ data, source }) => {
  const frame = [...document.querySelectorAll(".tokensteps")].find((one) => one.contentWindow === source);
  if (!frame || data?.tokensteps !== "save") return;
  const keys = { key: "s", code: "KeyS", keyCode: 83, ctrlKey: !!data.ctrlKey, metaKey: !!data.metaKey };
  frame.dispatchEvent(new KeyboardEvent("keydown", { ...keys, bubbles: true, cancelable: true, composed: true }));
}), true);
