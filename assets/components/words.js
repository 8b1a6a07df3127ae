// Streamlit's own words, in the language of the page. Python sends a closed list, English → translation. A text in one
// of Streamlit's own places gives way to its translation if the whole of it is in the list. Learners' text is never
// touched: there are no such places in it. With an empty list (in English) nothing is watched, and the old texts come
// back.

const ATTRIBUTES = ["aria-label", "placeholder", "data-title", "alt"];
const MARKED = ATTRIBUTES.map((name) => `[${name}]`).join();
const PLACES = [
  "stSkipToContent", "stFileUploaderDropzone", "stFileChip", "stTooltipContent", "stDataFrameColumnMenu",
  "stSelectboxVirtualDropdown", "stStatusWidget", "stDialog", "InputInstructions",
].map((name) => `[data-testid="${name}"]`).join();
const NOT_OURS = '[data-testid="stHtml"], [data-testid="stFileChipName"], [data-testid="stCode"] code, '
  + '[data-key], [role="gridcell"]';
const OPTIONS = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ATTRIBUTES };

let words = new Map(), patterns = [];
const english = new Map(); // our text → Streamlit's

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pattern = ([from, to]) => [new RegExp(`^${from.split(/\{\w+\}/).map(escaped).join("(.+)")}$`), to];

function translate(text) { // undefined where nothing is to be done
  const own = english.get(text) ?? text;
  let translated = words.get(own);
  for (const [form, to] of translated === undefined ? patterns : []) {
    const match = form.exec(own);
    if (match) { translated = to.replace(/\{\w+\}/, () => match[1]); break; }
  }
  if (translated !== undefined) english.set(translated, own);
  return (translated ?? own) === text ? undefined : translated ?? own;
}
function write(node) {
  const own = node.nodeValue.trim(), text = own && !node.parentElement?.closest(NOT_OURS) ? translate(own) : undefined;
  if (text !== undefined) node.nodeValue = node.nodeValue.replace(own, () => text);
}
function label(node) {
  if (node.closest(NOT_OURS)) return;
  for (const name of ATTRIBUTES) {
    const own = node.getAttribute(name), text = own ? translate(own) : undefined;
    if (text !== undefined) node.setAttribute(name, text);
  }
}
function texts(container) {
  const walk = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) write(walk.currentNode);
}
function look(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.parentElement?.closest(PLACES)) write(node);
  } else if (node.nodeType === Node.ELEMENT_NODE) {
    label(node);
    node.querySelectorAll(MARKED).forEach(label);
    if (node.closest(PLACES)) texts(node);
    else node.querySelectorAll(PLACES).forEach(texts);
  }
}
const observer = new MutationObserver((records) => {
  for (const { type, target, addedNodes } of records) {
    if (type === "childList") addedNodes.forEach(look);
    else if (type === "attributes") label(target);
    else look(target);
  }
});

export default function streamlitWords({ data }) { // Streamlit runs it again with each rerun
  const now = Object.entries(data?.words ?? {});
  if (JSON.stringify(now) === streamlitWords.current) return;
  streamlitWords.current = JSON.stringify(now);
  observer.disconnect();
  words = new Map(now.filter(([from]) => !from.includes("{")));
  patterns = now.filter(([from]) => from.includes("{")).map(pattern);
  look(document.body);
  if (now.length) observer.observe(document.body, OPTIONS);
  else english.clear();
}
