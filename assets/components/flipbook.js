// The flipbook: flips between frames (HTML that Python drew) without asking the server.
// It knows frames and steps, nothing about tokenizers; every word that it shows comes with the data.
// Streamlit runs the default export again for each new payload, without cleanup: one book lives on the root.

const BOOK = Symbol.for("tokensteps.flipbook"), MAIN = Symbol.for("tokensteps.stage"), SPEEDS = [1, 2, 4, 0.5];
const BEAT = 450, TURN = 1600, REST = 250, AHEAD = 12; // ms, ms, ms, steps
const svg = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`, apart = (number) => number.toLocaleString("en"); // 12,345, as Python writes counts
const BUTTONS = { // icon, and the key's name, which may be a label
  first: ["M3.5 3v10M12.5 3.5 7 8l5.5 4.5", "home"], back: ["M10 3.5 5 8l5 4.5", "←"],
  next: ["M6 3.5 11 8l-5 4.5", "→"], last: ["M12.5 3v10M3.5 3.5 9 8l-5.5 4.5", "end"],
};
const BAR = `<h2 class="unseen"></h2><div class="transport">
  <div class="buttons">${Object.entries(BUTTONS).map(([name, [icon]]) => `<button type="button" data-do="${name}">${svg(icon)}</button>`).join("")}
    <button type="button" data-do="play"><span class="off">${svg("M5 3.2v9.6l7.5-4.8z")}<i></i></span><span class="on">${svg("M4.5 3.5h2.2v9H4.5zM9.3 3.5h2.2v9H9.3z")}<i></i></span></button>
    <button type="button" data-do="speed"></button></div>
  <div class="where"><p><b></b> </p><span></span></div><input type="range" min="0" step="1"></div>
  <div class="line" role="group"></div><div class="wait"></div><div class="stage" role="group"></div><div class="live unseen" aria-live="polite"></div>`;

// Elements outside the flipbook that use arrows, Home or End themselves; and those that use Space.
const ROLES = "slider tab tablist menu menubar menuitem combobox listbox option grid treegrid tree textbox searchbox spinbutton radio radiogroup toolbar application dialog";
const TAKES_ARROWS = 'input:not([type="checkbox"],[type="button"]),textarea,select,canvas,video,audio,[contenteditable]:not([contenteditable="false"]),'
  + ROLES.split(" ").map((role) => `[role="${role}"]`).join();
const TAKES_SPACE = `${TAKES_ARROWS},input,button,a[href],summary,label,[role="button"],[role="checkbox"],[role="switch"],[role="link"]`;

function bind(root) {
  const box = document.createElement("div"), timers = {}, still = matchMedia("(prefers-reduced-motion: reduce)");
  Object.assign(box, { className: "ts-flipbook", role: "group", innerHTML: BAR });
  root.append(box);
  const part = (selector) => box.querySelector(selector), button = (what) => part(`[data-do="${what}"]`);
  const [stage, line, range, where, live] = [".stage", ".line", "input", ".where", ".live"].map(part);
  let book = {}, step = 0, nonce, shown, marks = [], chosen, playing = false, speed = 1, told, asked = -Infinity, send = () => {}, touch;

  const name = (button, label, key) => { button.ariaLabel = label; button.title = key ? `${label} (${book.labels[key] ?? key})` : label; };
  const frame = () => book.frames[step - book.first];
  const holder = () => [document[BOOK], document[MAIN], box].find((one) => one?.isConnected); // who has the keys: touched last, else the page's own
  const after = (name, ms, run) => { clearTimeout(timers[name]); timers[name] = setTimeout(run, ms); };
  function draw(beat) { // without a beat: the step hasn't changed, leave the beat that is under way
    const page = frame(), two = beat === 1 && book.beats && page && !still.matches;
    range.value = step;
    where.querySelector("b").textContent = book.before + apart(step);
    for (const what in BUTTONS) button(what).ariaDisabled = step === (what === "first" || what === "back" ? 0 : book.last); // `disabled` loses the focus
    box.toggleAttribute("data-stale", !page);
    if (beat) { clearTimeout(timers.beat); stage.dataset.beat = two ? 1 : 2; }
    if (two) after("beat", BEAT / (playing ? speed : 1), () => { stage.dataset.beat = 2; });
    if (page && shown !== page.html) show(page.html);
    if (page) where.querySelector("span").textContent = page.status && `${book.last ? "· " : ""}${page.status}`;
    range.ariaValueText = [...where.children].map((part) => part.textContent).join(" ");
    marks.forEach((mark, index) => {
      const at = Math.sign(index + book.first - step);
      if (mark.at !== at) Object.assign(mark, { at, className: ["past", "now", "future"][at + 1], tabIndex: at ? -1 : 0, ariaCurrent: at ? null : "step" });
      if (!at) follow(mark, line);
      if (!at && line.contains(root.activeElement)) mark.focus({ preventScroll: true });
    });
  }
  function show(html) { // focus, scrolling and choices stay
    const panes = () => [...stage.querySelectorAll("[data-pane]")], was = panes().map((pane) => [pane.scrollLeft, pane.scrollTop]);
    const held = stage.querySelector(":is([data-pick],[data-term]):focus")?.dataset, name = held?.pick ? "pick" : "term";
    stage.innerHTML = shown = html;
    if (held) stage.querySelector(`[data-${name}="${held[name]}"]`)?.focus({ preventScroll: true });
    panes().forEach((pane, index) => pane.scrollTo(...(was[index] ?? [0, 0])));
    for (const here of stage.querySelectorAll("[data-pane] [data-here]")) follow(here, here.closest("[data-pane]"));
    Object.entries(chosen).forEach(([how, id]) => choose(how, id));
  }
  function follow(node, pane) { // scrolls the pane alone, never the page
    const a = node.getBoundingClientRect(), b = pane.getBoundingClientRect(), room = (size) => Math.min(96, size / 4);
    const shift = (from, to, start, end) => (to - from < end - start && (from < start + room(end - start) || to > end - room(end - start)) ? (from + to - start - end) / 2 : 0);
    pane.scrollBy(shift(a.left, a.right, b.left, b.right), shift(a.top, a.bottom, b.top, b.bottom));
  }
  function choose(how, id) { // a `data-pick` is seen or picked: so is all that has its id in `data-of`
    chosen[how] = id;
    for (const node of stage.querySelectorAll("[data-of]")) node.classList.toggle(how, node.dataset.of.split(" ").includes(id));
    for (const node of stage.querySelectorAll("[data-pick]")) node.ariaPressed = node.dataset.pick === chosen.picked;
  }
  const look = () => choose("seen", (part("[data-pick]:hover") ?? part("[data-pick]:focus-visible"))?.dataset.pick);
  function move(to, beat = 2) {
    to = Math.max(0, Math.min(book.last, to));
    if (to === step) return;
    step = to;
    draw(beat);
    after("say", 400, () => { live.textContent = frame()?.say ?? ""; });
    after("tell", REST, tell);
    const end = book.first + book.frames.length - 1, near = (book.first > 0 && step < book.first + AHEAD) || (end < book.last && step > end - AHEAD);
    if ((near || playing) && performance.now() - asked > 1000) tell(); // ask in time for the next window, but let Python finish
  }
  function address() { // the URL's step, without an entry in the browser's history
    const there = new URL(location.href).searchParams.get(book.param);
    if (book.param && there !== String(step) && (there || step)) history.replaceState(history.state, "", withStep(location.href, book.param, step));
  }
  function tell() {
    if (told === step) return;
    [told, asked] = [step, performance.now()];
    address();
    send("step", [book.run, step, nonce]);
  }
  function play(on) {
    playing = on;
    box.toggleAttribute("data-playing", on);
    name(button("play"), book.labels[on ? "pause" : "play"], "space");
    clearTimeout(timers.turn);
    if (on && step === book.last) move(0);
    if (on) after("turn", TURN / speed, () => {
      if (frame()) move(step + 1, 1); // or its window is on its way
      play(step < book.last);
    });
  }
  const go = (to, beat) => { play(false); move(to, beat); };
  const act = {
    first: () => go(0), back: () => go(step - 1), next: () => go(step + 1, 1), last: () => go(book.last), play: () => play(!playing && book.last > 0),
    speed: () => { speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length]; pace(); play(playing); },
  };
  const pace = (b = button("speed")) => { b.textContent = `${speed}×`; name(b, `${book.labels.speed} ${speed}×`); };
  function onKey(event) {
    const what = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", " ": "play" }[event.key];
    if (!what || !book.run || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing) return;
    const path = event.composedPath().filter((node) => node instanceof Element), inside = path.includes(box);
    const taken = (node) => node.matches(what === "play" ? TAKES_SPACE : TAKES_ARROWS);
    if (inside ? what === "play" && path[0].closest("button,a,summary") : path.some(taken) || holder() !== box || !box.checkVisibility()) return;
    event.preventDefault(); // so that the scrubber doesn't step a second time
    if (what !== "play" || !event.repeat) act[what]();
  }
  function onNavigate(event) { // st.query_params stacks a history entry per write; one that only moves the step replaces
    const rest = (href) => { const url = new URL(href); url.searchParams.delete(book.param); url.searchParams.sort(); return url.href; };
    if (!book.param || event.navigationType !== "push" || !event.cancelable || rest(event.destination.url) !== rest(location.href)) return;
    event.preventDefault();
    queueMicrotask(() => history.replaceState(history.state, "", event.destination.url));
  }

  for (const event of ["pointerdown", "focusin"]) box.addEventListener(event, () => { document[BOOK] = box; });
  box.addEventListener("click", (event) => {
    const { do: what, step: to, pick } = event.target.closest("[data-do],[data-step],[data-pick]")?.dataset ?? {};
    if (to) go(+to, 1); // in the timeline or in a frame
    else if (what) act[what]();
    else if (pick) choose("picked", pick === chosen.picked ? "" : pick);
  });
  for (const event of ["pointerover", "pointerleave", "focusin", "focusout"]) stage.addEventListener(event, look);
  range.addEventListener("input", () => go(+range.value));
  stage.addEventListener("pointerdown", (event) => { touch = event.pointerType === "touch" && event; });
  stage.addEventListener("pointerup", (event) => { // a swipe turns the page
    const x = event.clientX - touch?.clientX, y = event.clientY - touch?.clientY; // NaN without a touch
    if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y) && getSelection().isCollapsed) act[x < 0 ? "next" : "back"]();
  });
  const gone = new AbortController(), { signal } = gone;
  document.addEventListener("keydown", onKey, { signal });
  globalThis.navigation?.addEventListener("navigate", onNavigate, { signal });
  document.addEventListener("click", (event) => { // a link leads off the page, and a report now would reach the next one
    if (event.composedPath().some((node) => node.tagName === "A")) { play(false); clearTimeout(timers.tell); send = () => {}; }
  }, { signal, capture: true });

  function receive(next) {
    const other = next.run !== book.run, sought = other || next.seek[1] !== nonce;
    const [before, behind] = next.labels.step.replace("{last}", apart(next.last)).split("{step}");
    [book, nonce, asked] = [{ ...next, before }, next.seek[1], -Infinity];
    if (sought) { play(false); step = told = Math.max(0, Math.min(next.last, next.seek[0])); clearTimeout(timers.tell); }
    if (next.param) { document[MAIN] = box; document.dispatchEvent(new Event("tokensteps:stage")); }
    if (other) {
      const { labels, last } = next, focus = document.activeElement;
      if (focus?.matches('[role="combobox"]:not([aria-expanded="true"], [data-testid="stForm"] *)')) focus.blur(); // it chose this run (no answer in a form does); now the keys are the book's
      chosen = { picked: "" };
      for (const what in BUTTONS) name(button(what), labels[what], BUTTONS[what][1]);
      for (const [at, key] of [["h2", "title"], [".off i", "play"], [".on i", "pause"], [".wait", "loading"]]) part(at).textContent = labels[key];
      for (const [at, key] of [[box, "title"], [range, "scrubber"], [line, "timeline"], [stage, "stage"]]) at.ariaLabel = labels[key];
      where.querySelector("p").lastChild.data = behind;
      range.max = last;
      box.toggleAttribute("data-still", !last), box.style.setProperty("--digits", Math.max(3, String(last).length));
      pace();
    }
    const learned = next.frames.map((page, index) => `<button type="button" data-step="${next.first + index}">${page.label}</button>`).join("");
    if (line.key !== learned) { line.key = learned; line.innerHTML = learned; marks = [...line.children]; }
    draw(sought ? 2 : undefined);
    if (sought) address();
  }

  const close = () => { Object.values(timers).forEach(clearTimeout); gone.abort(); box.remove(); delete root[BOOK]; };
  return { bind, close, async connect(data, setStateValue) {
    send = setStateValue;
    if (data === this.data) return; else this.data = data;
    const next = typeof data === "string" ? JSON.parse(data) : await unpack(data);
    if (data === this.data) receive(next);
  } };
}

async function unpack(data) { // a line of JSON, then a payload under gzip, which the line amends
  const end = data.indexOf(10), stream = new Blob([data.subarray(end + 1)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return { ...await new Response(stream).json(), ...JSON.parse(new TextDecoder().decode(data.subarray(0, end))) };
}

function withStep(href, param, step) { // by hand: other parameters keep their exact spelling, which Streamlit compares
  const url = new URL(href), found = new RegExp(`([?&]${param}=)[^&]*`);
  url.search = found.test(url.search) ? url.search.replace(found, `$1${step}`) : `${url.search || "?"}${url.search ? "&" : ""}${param}=${step}`;
  return url.href;
}

export default function flipbook({ data, parentElement: root, setStateValue }) {
  if (root[BOOK] && root[BOOK].bind !== bind) root[BOOK].close(); // another version of this script (hot reload)
  root[BOOK] ??= bind(root);
  root[BOOK].connect(data, setStateValue);
  // Streamlit also calls this for a run of the script that a newer one overtook: only a book that is gone gets closed.
  return () => setTimeout(() => root.isConnected || root[BOOK]?.close());
}
