// The end of the one script with all components: `COMPONENTS` has each one's script, `SHEETS` the texts of their style
// sheets. Python's stub for a component calls `draw` with Streamlit's arguments.

const CLICKED = Symbol.for("tokensteps.click"); // on the document: the last click, from page/at_home.html
const PATIENCE = 15_000; // ms until a page that hasn't come counts as no longer on its way
const loaded = {}, sheets = {};

function sheetOf(name) { // one for all components with this sheet
  if (!sheets[name]) (sheets[name] = new CSSStyleSheet()).replaceSync(SHEETS[name]);
  return sheets[name];
}

function adoptStyles(root, styles) { // a library may have brought sheets of its own
  if (styles.every((name) => root.adoptedStyleSheets.includes(sheetOf(name)))) return;
  const others = [...root.adoptedStyleSheets].filter((sheet) => !root[STYLES]?.has(sheet));
  root[STYLES] = new Map(styles.map((name) => [sheetOf(name), SHEETS[name]]));
  root.adoptedStyleSheets = [...root[STYLES].keys(), ...others];
}

// From the click on a link until Streamlit has answered, a message still names the page left: the server would come
// back to it.
function isLeaving() {
  const { event, path, from, at } = document[CLICKED] ?? {};
  const link = event && location.pathname === from && performance.now() - at < PATIENCE && linkOf(event, path);
  return Boolean(link) && new URL(link.href).pathname !== from;
}

export function draw(name, styles, args) {
  adoptStyles(args.parentElement, styles);
  const staying = (send) => (...message) => { if (!isLeaving()) send(...message); };
  const [setStateValue, setTriggerValue] = [staying(args.setStateValue), staying(args.setTriggerValue)];
  return (loaded[name] ??= COMPONENTS[name]())({ ...args, setStateValue, setTriggerValue });
}

document.addEventListener("keydown", (event) => { // Python may not have come to the projector yet
  const pressed = keyOf(event) === "p" && !event.repeat && !hasModifier(event);
  if (pressed && !document[PROJECTOR] && !isTaken(event, TAKES_LETTERS)) document[HASTE] = !document[HASTE];
});
for (const page of document.querySelectorAll(".ts-early")) showEarly(page);
