// The editor: a text box that reports what is in it while somebody types, and never loses a letter to Python's answers.
// It shows the text that Python gave when it mounts or when the nonce is new; otherwise the text is the browser's.
// Streamlit runs the default export again for each new payload, without cleanup: one box lives on the root.

const BOX = Symbol.for("tokensteps.editor"), KEPT = Symbol.for("tokensteps.editor.kept");
const LARGE = 200_000, SHOWN = 200, SELECTED = 50; // characters, lines, ms
const pause = (size) => (size < 20_000 ? 60 : size < LARGE ? 250 : 700);
const MARKUP = `<label for="text"></label>
  <div class="field"><textarea id="text" rows="4" dir="auto" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off" aria-describedby="hint"></textarea>
    <div class="marks"><div></div></div></div>
  <p id="hint"></p>`;

// Python counts code points, a text box UTF-16 units.
const high = (text, at) => (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
function pointsIn(text, from, to) {
  let count = 0;
  for (let at = from; at < to; at += high(text, at) ? 2 : 1) count++;
  return count;
}
function after(text, from, points) {
  let at = from;
  for (; points > 0 && at < text.length; points--) at += high(text, at) ? 2 : 1;
  return at;
}

function bind(root) {
  const box = document.createElement("div"), timers = {}, kept = (document[KEPT] ??= {});
  box.className = "ts-editor";
  box.innerHTML = MARKUP;
  root.append(box);
  const [label, area, hint, field, marks] = ["label", "textarea", "p", ".field", ".marks > div"].map((part) => box.querySelector(part));
  let name, nonce, params = [], send = () => {}, size = 0, dirty = false, told = false, composing = false, selected = "";

  const later = (name, ms, run) => { clearTimeout(timers[name]); timers[name] = setTimeout(run, ms); };
  function tell() {
    clearTimeout(timers.tell);
    if (!dirty || composing || !root.isConnected) return;
    const text = area.value.toWellFormed(); // half of a UTF-16 pair can't be sent: Streamlit would drop the whole message
    [dirty, size, kept[name]] = [false, text.length, { nonce, text }];
    send("text", [nonce, text]);
  }
  const soon = () => { dirty = true; if (!composing) later("tell", pause(size), tell); }; // the size as last told: reading it costs

  function range({ detail: { start, end } }) { // select it, without taking the focus
    const text = area.value, from = after(text, 0, start), to = after(text, from, end - start), held = deepest();
    area.setSelectionRange(from, to);
    if (deepest() !== held) held?.focus({ preventScroll: true });
    mark(from < to ? where(text, from, to) : []);
  }
  function deepest(node = document.activeElement) {
    return node?.shadowRoot?.activeElement ? deepest(node.shadowRoot.activeElement) : node;
  }
  function where(text, from, to) { // where a place lies, only layout knows: a mirror of the text box says it
    const mirror = document.createElement("div"), place = document.createRange(), line = text.indexOf("\n", to);
    mirror.className = "mirror";
    mirror.style.width = `${area.clientWidth}px`;
    mirror.textContent = line < 0 ? text : text.slice(0, line);
    field.append(mirror);
    place.setStart(mirror.firstChild, from);
    place.setEnd(mirror.firstChild, to);
    const { left, top } = mirror.getBoundingClientRect(), zoom = mirror.currentCSSZoom ?? 1; // see projector.css
    const found = [...place.getClientRects()].slice(0, SHOWN).map((box) => ({ left: (box.left - left) / zoom, top: (box.top - top) / zoom, width: box.width / zoom, height: box.height / zoom }));
    mirror.remove();
    return found;
  }
  function mark(places) { // browsers don't show the selection of a text box without the focus
    marks.replaceChildren(...places.map((place) => {
      const mark = document.createElement("i");
      for (const side in place) mark.style[side] = `${place[side]}px`;
      return mark;
    }));
    if (!places.length) return;
    const { top } = places[0], end = places.at(-1).top + places.at(-1).height, view = area.clientHeight;
    if (top < area.scrollTop || end > area.scrollTop + view) area.scrollTop = top - Math.max(20, (view - end + top) / 3);
    scrolled();
  }
  const scrolled = () => { if (marks.firstChild) marks.style.translate = `${area.clientLeft}px ${area.clientTop - area.scrollTop}px`; };
  function select() {
    if (size >= LARGE || !root.isConnected) return;
    const { value, selectionStart: from, selectionEnd: to } = area, now = `${from} ${to}`;
    if (now === selected || value.length >= LARGE) return;
    selected = now;
    const start = pointsIn(value, 0, from), end = start + pointsIn(value, from, to);
    document.dispatchEvent(new CustomEvent("tokensteps:selection", { detail: { start, end } }));
  }
  function onNavigate(event) { // each write to the URL stacks an entry in the history; one that only follows the typing replaces
    const rest = (href) => { const url = new URL(href); for (const name of params) url.searchParams.delete(name); url.searchParams.sort(); return url.href; };
    if (!params.length || event.navigationType !== "push" || !event.cancelable || rest(event.destination.url) !== rest(location.href)) return;
    event.preventDefault();
    queueMicrotask(() => history.replaceState(history.state, "", event.destination.url));
  }

  area.addEventListener("input", soon);
  area.addEventListener("scroll", scrolled);
  for (const event of ["input", "focus"]) area.addEventListener(event, () => mark([]));
  new ResizeObserver(() => mark([])).observe(area);
  area.addEventListener("blur", tell);
  area.addEventListener("compositionstart", () => { composing = true; clearTimeout(timers.tell); });
  area.addEventListener("compositionend", () => { composing = false; soon(); });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    tell();
  });
  for (const event of ["selectionchange", "select", "keyup", "click"]) area.addEventListener(event, () => later("select", SELECTED, select));
  const gone = new AbortController(), { signal } = gone;
  document.addEventListener("tokensteps:range", range, { signal });
  globalThis.navigation?.addEventListener("navigate", onNavigate, { signal });

  function receive(next) {
    const { labels } = next, old = kept[next.key];
    name = next.key;
    params = next.params;
    [label.textContent, area.placeholder, hint.textContent] = [labels.label, labels.placeholder, labels.hint];
    if (next.nonce !== nonce) {
      // Put up anew by the page's layout, while Python knows what was typed here: its text is an older one.
      told = nonce === undefined && next.heard && old?.nonce === next.nonce;
      [nonce, dirty] = [next.nonce, false];
      clearTimeout(timers.tell);
      area.value = told ? old.text : next.text;
      area.setSelectionRange(0, 0);
      area.scrollTop = 0;
      mark([]);
      size = area.value.length;
    } else {
      if (told && !next.heard) soon(); // another session, for the server was started again: say it once more
      told = next.heard;
    }
  }
  function close() {
    Object.values(timers).forEach(clearTimeout);
    gone.abort();
    box.remove();
    delete root[BOX];
  }
  return { bind, close, connect(data, setStateValue) {
    send = setStateValue;
    if (data !== this.data) receive(JSON.parse(new TextDecoder().decode(data)));
    this.data = data;
  } };
}

export default function editor({ data, parentElement: root, setStateValue }) {
  if (root[BOX] && root[BOX].bind !== bind) root[BOX].close(); // another version of this script (hot reload)
  root[BOX] ??= bind(root);
  root[BOX].connect(data, setStateValue);
  // Streamlit also calls this for a run of the script that a newer one overtook: only a box that is gone gets closed.
  return () => setTimeout(() => root.isConnected || root[BOX]?.close());
}
