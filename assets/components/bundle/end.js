// The end of the one script with all components: `COMPONENTS` has each one's script, `SHEETS` the texts of their style
// sheets. Python's stub for a component calls `draw` with Streamlit's arguments.

const CLICKED = Symbol.for("tokensteps.click"); // on the document: the last click, from page/at_home.html
const PATIENCE = 15_000; // ms until a page that hasn't come counts as no longer on its way
const CALLS = Symbol.for("tokensteps.calls"); // on a root: the last calls, in the order of their drawing
const MOST_CALLS = 4; // under way at once
const SOON = 100; // ms for newer data on their way
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
  if (location.pathname !== from) delete document[CLICKED]; // it is there: Back finds no link on its way
  const link = event && location.pathname === from && performance.now() - at < PATIENCE && linkOf(event, path);
  return Boolean(link) && new URL(link.href).pathname !== from;
}

// Streamlit gathers messages for a moment and sends them with the page that it shows by then: the server would come
// back to that page if a click on a link went ahead of them, as it does in a busy browser. So it follows them.
addEventListener("click", (event) => {
  if (!event.isTrusted || !linkOf(event)) return;
  const [target] = event.composedPath();
  event.preventDefault();
  event.stopImmediatePropagation();
  setTimeout(() => target.dispatchEvent(new MouseEvent("click", event))); // after Streamlit's timer for the messages
}, true);

export function draw(name, styles, args) {
  const { parentElement: root } = args;
  isLeaving(); // a page drawn after a link's: the click is forgotten
  if (!root.isConnected) return () => {}; // its page has gone while the script was on its way
  const staying = (send) => (...message) => { if (!isLeaving()) send(...message); };
  const [setStateValue, setTriggerValue] = [staying(args.setStateValue), staying(args.setTriggerValue)];
  const call = () => {
    adoptStyles(root, styles);
    return (loaded[name] ??= COMPONENTS[name]())({ ...args, setStateValue, setTriggerValue });
  };
  root[CALLS] = [...(root[CALLS] ?? []), call].slice(-MOST_CALLS);
  return ending(root, call, call());
}

// Streamlit ends a call at the end of its component, and at once where newer data has come meanwhile. The newer data
// may have been drawn already: Chromium hands a loaded script to those waiting for it in no order. Then it is drawn
// again.
function ending(root, call, end) {
  return () => {
    end?.();
    call.over = true;
    setTimeout(() => {
      const newest = root[CALLS].findLast(({ over }) => !over);
      if (!root.isConnected || !root[CALLS].at(-1).over || !newest) return;
      root[CALLS].push(newest);
      newest();
    }, SOON);
  };
}

document.addEventListener("keydown", (event) => { // Python may not have come to the projector yet
  const pressed = keyOf(event) === "p" && !event.repeat && !hasModifier(event);
  if (pressed && !document[PROJECTOR] && !isTaken(event, TAKES_LETTERS)) document[HASTE] = !document[HASTE];
});
for (const page of document.querySelectorAll(".ts-early")) showEarly(page);
