// The button that opens a class, on every page on which one is held. The browser keeps the lecturer's key.
const PEOPLE = "M2.5 13c0-2 1.3-3 3-3s3 1 3 3M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM10 10c1.8-.3 3.5.8 3.5 3"
  + "M10 7.5a2 2 0 1 0 0-4";

export default function classOpen({ data: { labels }, parentElement: root, setTriggerValue }) {
  let button = root.querySelector("button");
  if (!button) {
    button = make("button", { type: "button", className: "ts-head-button" });
    root.append(button, make("span", { className: "unseen" }));
    button.nextSibling.setAttribute("role", "alert");
  }
  button.innerHTML = `${icon(PEOPLE)}<span></span>`;
  button.lastChild.textContent = labels.open;
  button.ariaLabel = button.title = labels.open;
  button.onclick = async () => {
    button.disabled = true;
    try {
      const { code, key, address } = await post("open", {});
      kept.set(code, { key, address, at: Date.now() });
      Room.at(code).fresh = true; // its panel opens by itself
      setTriggerValue("opened", code);
    } catch ({ kind }) {
      button.lastChild.textContent = button.nextSibling.textContent = labels[`error_${kind}`] ?? labels.error_store;
    }
    button.disabled = false;
  };
}
