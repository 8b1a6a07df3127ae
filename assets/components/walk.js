// A lesson plan or the path, walked along: a strip at the foot of every page, in projector mode too. `N` leads to the
// next stop, Shift+N back, `H` shows and hides the note, `U` shows the answer in it, covered while the page waits for
// the class to find it out; on the path, `X` leads to the station's exercises, to the box for the answer, and back. In
// projector mode a clicker leads when Page Down or Page Up is held. The strip takes its room from the page (--ts-strip)
// and covers nothing; the look is walk.css. Python leads from page to page; the time at a stop is the browser's alone.
// Every word comes with the data.

const WALK = "data-walk", PATH = "data-path", ROOM = "--ts-strip", PROJECTED = "data-projector", PANEL = "data-panel";
const SINCE = "tokensteps.walk.since", NOTE = "tokensteps.walk.note"; // in the tab's storage
const BOX = '.st-key-exercises-exercise [data-testid="stForm"] :is(input, textarea)';
const PATIENCE = 15_000; // ms for the box to practise in to come, and for the next stop
const LOOKS = 150; // for a stop's tab or question to come: ten a second, more slowly in a slow browser
const STILL = 5; // the number of looks without a move
const PHONE = matchMedia("(max-width: 640px)"); // there the note takes its room only if it is asked for
const HEADER = 60; // pixels of the app's own bar
const QUESTION = ':is(.st-key-walk-card, [class*="-predict"]) [data-testid="stForm"] input'; // a station's
const DAY = 86_400_000; // ms: no lesson is longer
const button = (what, kind = "") => `<button type="button" class="${kind}" data-go="${what}"></button>`;
// An answer was given or revealed, at this stop: while Python draws its page, the verdict before is still there.
const SETTLED = '[data-test-script-state="notRunning"] .note.verdict:is(.right, .tied, .wrong):not([data-again])';
const PARTS = `<div class="told" id="ts-walk-note"><p></p><p><b></b> <span></span>
    <button type="button" class="show" aria-keyshortcuts="U"></button></p></div>
  <div class="row"><p class="which"><b></b> <span></span></p><ol></ol>
    <p class="stop"></p><p class="time" role="timer"><b></b> <span></span></p>
    <button type="button" class="hide" aria-keyshortcuts="H" aria-controls="ts-walk-note"></button>
    ${button("exercise")}${button("back")}${button("next", "main")}${button("leave", "leave")}</div>`;
const CHECK = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 8.5l3 3 6-7"/></svg>';

const stored = { // a browser may keep nothing
  get(name) { try { return sessionStorage.getItem(name) ?? ""; } catch { return ""; } },
  set(name, text) { try { sessionStorage.setItem(name, text); } catch { /* then it is forgotten with the page */ } },
};

class Walk extends Component {
  page = document.documentElement;
  notes = {
    page: (stored.get(`${NOTE}.page`) || (PHONE.matches ? "off" : "on")) === "on",
    projected: stored.get(`${NOTE}.projected`) === "on",
  };
  led = false; // whether this strip was asked for a stop: Back and Forward find the page as it was left
  keyed = false; // and by a key
  target = 0; // the number of the stop that it was asked for, until that is there

  constructor(root) {
    super(root, "ts-walk", PARTS);
    this.box.setAttribute("role", "region");
    document.body.append(this.box); // not beside its root: the sidebar may be hidden
    this.box.addEventListener("click", ({ target, detail }) => this.onClick(target.closest("button"), detail === 0));
    const { signal } = this.gone;
    addEventListener("keydown", (event) => this.onKey(event), { signal }); // after everything else on the page
    addEventListener("popstate", () => { [this.led, this.target] = [false, 0]; }, { signal });
    document.addEventListener("tokensteps:walk", () => { this.led = true; }, { signal }); // a class leads to a stop
    document.addEventListener("tokensteps:revealed", () => this.uncover(), { signal }); // and has found the answer out
    const takes = (event) => this.page.hasAttribute(PROJECTED) && /^Page(Up|Down)$/.test(event.key)
      && !isTaken(event, TAKES_PAGES);
    onHeld(takes, (key) => this.step(key === "PageDown"), signal);
    onEntry((event) => replaceIfOnly(["walk"], event), signal);
    this.sizes = new ResizeObserver(() => this.takeRoom());
    this.sizes.observe(this.box);
    this.modes = new MutationObserver(() => {
      this.showNote();
      if (this.page.hasAttribute(PROJECTED)) this.showTab();
    });
    this.modes.observe(this.page, { attributeFilter: [PROJECTED] });
    this.ticks = setInterval(() => this.tick(), 1000);
    this.page.toggleAttribute(WALK, true);
  }
  takeRoom() {
    this.page.style.setProperty(ROOM, `${this.box.offsetHeight}px`);
    dispatchEvent(new Event("resize")); // for parts that fit themselves into the window
  }

  // --- its commands
  go(where) { // to a stop's number, one more than the last for the end, or one of "leave", "practise", "return"
    this.led = true;
    dispatchEvent(new Event("ts-led")); // a tour ends
    if (where === "leave" || where > this.shown.stops.length) stored.set(SINCE, ""); // the next lesson has its own
    this.send("go", where);
  }
  onClick(button, byKey) {
    if (!button || button.ariaDisabled === "true") return;
    if (button.matches(".hide")) this.turnNote();
    else if (button.matches(".show")) this.uncover();
    else if (button.dataset.stop) this.goTo(Number(button.dataset.stop));
    else if (button.dataset.go === "exercise") this.practise(byKey);
    else if (button.dataset.go === "leave") this.go("leave");
    else this.step(button.dataset.go === "next");
  }
  onKey(event) {
    const key = keyOf(event);
    if (event.defaultPrevented || isComposing(event) || event.repeat || !/^[nhux]$/.test(key)) return;
    if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event, TAKES_LETTERS)) return;
    if (key === "h") this.turnNote();
    else if (key === "u") this.uncover();
    else if (key === "x") this.practise(true);
    else {
      this.keyed = true;
      this.step(!event.shiftKey);
    }
    event.preventDefault();
  }
  practise(byKey) { // with the keyboard, the strip is far from the box
    if (!this.shown.exercise) return;
    this.until = byKey && this.shown.exercise === "practise" ? performance.now() + PATIENCE : 0;
    this.go(this.shown.exercise);
    this.enter();
  }
  enter() {
    const box = document.querySelector(BOX), active = focused();
    if (!(performance.now() < this.until)) return;
    if (isDrawing()) this.until = performance.now() + PATIENCE;
    if (!box || active.matches("input, textarea")) this.later("enter", 100, () => this.enter());
    else box.focus({ preventScroll: true });
  }
  enterStation(looks = LOOKS) { // led there by a key: with the keyboard, the question is far from the strip
    const box = document.querySelector(QUESTION);
    if (!looks) return;
    if (isDrawing()) this.later("station", 100, () => this.enterStation());
    else if (!box) this.later("station", 100, () => this.enterStation(looks - 1));
    else if (!focused().matches("input, textarea")) box.focus({ preventScroll: true });
  }
  // The stop's tab: brought into sight, whole if there is room, or on the wall; the stage, if the stop has no tab. Both
  // may still grow.
  showTab(looks = LOOKS, still = 0) {
    const main = document.querySelector('[data-testid="stMain"]'), { tab } = this.shown ?? {};
    const [bar, panel] = [".ts-tabs", '[role="tabpanel"]'].map((selector) => main?.querySelector(selector));
    const project = (detail) => document.dispatchEvent(new CustomEvent("tokensteps:panel", { detail }));
    this.cancel("tab");
    if (!tab) project(false);
    if (!tab || !looks) return;
    if (isDrawing()) this.later("tab", 100, () => this.showTab());
    else if (!panel) this.later("tab", 100, () => this.showTab(looks - 1));
    else if (still < STILL) {
      const [room, top, whole] = [main, bar, panel].map((node) => node.getBoundingClientRect());
      const hidden = Math.min(whole.bottom - room.bottom, top.top - room.top - HEADER);
      const projects = this.page.hasAttribute(PROJECTED);
      const moves = projects ? !this.page.hasAttribute(PANEL) : hidden > 1;
      if (moves && projects) project(true);
      else if (moves) main.scrollBy(0, hidden);
      this.later("tab", 100, () => this.showTab(looks - 1, moves ? 0 : still + 1));
    }
  }
  isLast() {
    return this.shown.number === this.shown.stops.length;
  }
  step(forward) {
    const [, here] = new URLSearchParams(location.search).get("walk")?.split(".") ?? []; // the strip may come later
    this.goTo((this.target || Number(here) || this.shown.number) + (forward ? 1 : -1));
  }
  goTo(number) { // not "one further": a message that arrives twice would lead two stops on
    if (number < 1) return;
    this.target = number;
    this.later("target", PATIENCE, () => { this.target = 0; });
    this.go(number);
  }

  // --- the note: on the wall only if it is asked for there
  turnNote() {
    const where = this.page.hasAttribute(PROJECTED) ? "projected" : "page";
    this.notes[where] = !this.notes[where];
    stored.set(`${NOTE}.${where}`, this.notes[where] ? "on" : "off");
    this.showNote();
  }
  showNote() {
    const on = this.notes[this.page.hasAttribute(PROJECTED) ? "projected" : "page"];
    this.part(".told").hidden = !(on || this.shown?.path) || !this.shown?.note;
    this.part(".hide").ariaExpanded = String(on);
  }

  uncover(covered = false) { // the answer
    this.covered = covered;
    this.part(".show").hidden = !covered;
    this.part(".told p + p span").hidden = covered;
  }

  // --- the time
  since() { // when this stop began; the browser may give back anything
    const [stop, text] = stored.get(SINCE).split(" "), then = Number(text), now = Date.now();
    if (stop === this.shown.place && then > now - DAY && then <= now) return then;
    stored.set(SINCE, `${this.shown.place} ${now}`);
    return now;
  }
  tick() {
    const { colorScheme } = getComputedStyle(document.querySelector(".stApp") ?? this.page); // need not be the system's
    this.box.style.colorScheme = colorScheme;
    if (this.covered && document.querySelector(SETTLED)) this.uncover();
    if (!this.shown?.minutes) return;
    const seconds = Math.floor((Date.now() - this.begun) / 1000);
    this.say(".time b", clock(seconds));
    this.part(".time").classList.toggle("over", seconds >= 60 * this.shown.minutes);
  }
  say(selector, words) {
    this.part(selector).textContent = words;
  }

  // --- from Python
  connect(next, send) {
    this.send = send;
    if (JSON.stringify(next) === JSON.stringify(this.shown)) return;
    if (next.place !== this.shown?.place) {
      this.uncover(next.waits && Boolean(next.answer));
      const comes = this.led || !this.shown, keyed = this.keyed || document[BY_KEY];
      if (next.number === this.target) this.target = 0;
      [this.shown, this.keyed] = [next, false]; // `led` stays: where one goes on quickly, the stop before comes first
      if (comes) this.showTab();
      if (next.path) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0); // there is the question
      if (next.path && keyed) this.enterStation();
    }
    this.shown = next;
    this.page.toggleAttribute(PATH, next.path);
    this.box.classList.toggle("stations", next.path || next.exercise === "return");
    const { labels, stops, number } = next;
    this.begun = this.since();
    this.box.ariaLabel = next.title;
    this.say(".which b", next.title);
    const which = filled(labels.place, { place: number, number: stops.length });
    this.say(".which span", next.ticked ? `${which} · ${next.ticked}` : which);
    this.say(".stop", next.stop);
    this.say(".told p", next.note);
    this.say(".told b", next.answer && labels.answer);
    this.say(".told p + p span", next.answer);
    this.part(".told p + p").hidden = !next.answer;
    this.part(".time").hidden = !next.minutes;
    this.part(".time").ariaLabel = labels.timer;
    this.say(".time span", `/ ${next.minutes} ${labels.minutes}`);
    this.part(".time").title = `${next.when} ${labels.minutes}`;
    this.part(".told").dataset.when = next.when && `${next.when} ${labels.minutes}`;
    this.tick();
    this.fillStops();
    this.nameButtons();
    this.showNote();
  }
  nameButtons() {
    const { labels, number, note, exercise, solved, ready, path } = this.shown;
    this.say(".show", labels.show);
    this.part(".show").title = `${labels.show} (U)`;
    this.say(".hide", labels.note);
    this.part(".hide").hidden = !note || path; // a station without its question is none
    this.part(".hide").title = `${labels.note} (H)`;
    this.name("exercise", labels[exercise] ?? "", "X");
    this.part("[data-go=exercise]").hidden = !exercise;
    this.part("[data-go=exercise]").classList.toggle("solved", solved);
    this.name("back", labels.back, "Shift+N");
    this.part("[data-go=back]").ariaDisabled = String(number === 1); // `disabled` would lose the focus
    this.name("next", this.isLast() ? labels.finish : ready ? labels.next : labels.skip, "N");
    this.part("[data-go=next]").classList.toggle("main", ready); // the question comes first
    const leave = this.part("[data-go=leave]");
    leave.innerHTML = icon("M4 4l8 8M12 4l-8 8");
    leave.ariaLabel = leave.title = labels.leave;
  }
  name(what, label, key) {
    const button = this.part(`[data-go="${what}"]`);
    button.textContent = label;
    if (!key) return;
    button.title = `${label} (${key})`;
    button.setAttribute("aria-keyshortcuts", key);
  }
  fillStops() {
    const { labels, stops, number } = this.shown;
    this.part("ol").replaceChildren(...stops.map(({ name, done, shown, practised }, index) => {
      const item = document.createElement("li"), button = document.createElement("button");
      Object.assign(button, { type: "button", className: shown ? "shown" : done ? "done" : "" });
      button.dataset.stop = index + 1;
      if (index + 1 === number) button.ariaCurrent = "step";
      const ticked = shown ? labels.shown : done && labels.done;
      button.ariaLabel = button.title = [name, ticked, practised && labels.solved].filter(Boolean).join(", ");
      button.innerHTML = `<i>${done ? CHECK : ""}</i>`;
      item.append(button);
      return item;
    }));
  }
  close() {
    this.sizes.disconnect();
    this.modes.disconnect();
    clearInterval(this.ticks);
    this.page.removeAttribute(WALK);
    this.page.removeAttribute(PATH);
    this.page.style.removeProperty(ROOM);
    super.close();
    dispatchEvent(new Event("resize"));
  }
}

export default function walk({ data, parentElement: root, setTriggerValue }) {
  return mount(Walk, root, data, setTriggerValue);
}
