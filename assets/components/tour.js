// The tour of a page: a button to start it, offered to newcomers, and stops with a ring around their subject. Every
// word comes with the data.

const MARGIN = 12, WIDE = 330, EDGE = 3, AROUND = 5; // px
const button = (what, kind = "") => `<button type="button" class="${kind}" data-do="${what}"></button>`;
const PARTS = `<button type="button" class="start" data-do="start">
    ${icon("M8 1.8 14 4.3v8L8 9.8 2 12.3v-8z")}<span></span></button>
  <div class="ring" popover="manual" aria-hidden="true"></div>
  <section class="card" popover="manual" role="dialog" tabindex="-1">
    <header><h2></h2><span></span></header><p></p>
    <div>${button("back")}${button("next", "main")}${button("close")}</div></section>`;

// A stop's subject: the elements on the page and in the window, with their rectangles.
function targets({ host: selector, inside }) {
  return [...document.querySelectorAll(selector)]
    .flatMap((host) => (inside ? [...(host.shadowRoot ?? host).querySelectorAll(inside)] : [host]))
    .filter((node) => node.checkVisibility({ visibilityProperty: true }))
    .map((node) => [node, node.getBoundingClientRect()])
    // A closed sidebar lies beside the window.
    .filter(([, rect]) => rect.width && rect.height && rect.right > 1 && rect.left < innerWidth - 1);
}
function areaOf(stop) { // all of it, as one rectangle
  const all = targets(stop).map(([, rect]) => rect);
  if (!all.length) return null;
  const edge = (name, pick) => pick(...all.map((rect) => rect[name]));
  return {
    top: edge("top", Math.min), left: edge("left", Math.min),
    bottom: edge("bottom", Math.max), right: edge("right", Math.max),
  };
}
function pixels(sizes) { // as styles
  return Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, `${size}px`]));
}
const within = (value, size, room) => Math.max(MARGIN, Math.min(value, room - size - MARGIN));

class Tour extends Component {
  stops = [];
  at = -1; // among the stops; -1: the tour isn't on
  drawn = ""; // the last places of the ring and the card, and their subject
  still = matchMedia("(prefers-reduced-motion: reduce)");
  actions = {
    start: () => this.open(),
    close: () => this.end(),
    back: () => { if (this.at > 0) this.show(this.at - 1); },
    next: () => { if (this.at < this.stops.length - 1) this.show(this.at + 1); else this.end(); },
  };

  constructor(root) {
    super(root, "ts-tour", PARTS);
    [this.start, this.ring, this.card] = [".start", ".ring", ".card"].map((selector) => this.part(selector));
    this.box.addEventListener("click", (event) => this.actions[event.target.closest("[data-do]")?.dataset.do]?.());
    this.card.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || this.at < 0) return;
      event.preventDefault();
      this.end();
    }, { signal: this.gone.signal });
    // A page that a plan or the path leads to has a tour of its own.
    addEventListener("ts-led", () => { if (this.at >= 0) this.end(false); }, { signal: this.gone.signal });
  }
  onKey(event) { // on the card, these keys are the tour's and not the flipbook's
    if (event.key === "Tab") this.keepFocus(event);
    const own = event.target === this.card ? { Enter: "next" } : {};
    const what = { ArrowLeft: "back", ArrowRight: "next", ...own }[event.key];
    if (!what || hasModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const last = this.at === this.stops.length - 1;
    if (what === "back" || !last || event.key === "Enter") this.actions[what](); // no arrow too many ends the tour
  }
  keepFocus(event) { // parts behind the card aren't operated unseen
    const buttons = [...this.card.querySelectorAll("button:enabled")];
    const [first, last] = event.shiftKey ? [buttons.at(-1), buttons[0]] : [buttons[0], buttons.at(-1)];
    const now = this.part(".card :focus");
    if (now && now !== last) return;
    event.preventDefault();
    first.focus();
  }
  say(selector, words) {
    this.part(selector).textContent = words;
  }

  // --- from the first stop to the last
  wasOffered() { // or taken, before; from now on it was
    const name = `tokensteps.tour.${this.shown.page}`;
    try {
      const seen = localStorage.getItem(name) !== null;
      localStorage.setItem(name, "seen");
      return seen;
    } catch { return true; } // nowhere to remember it: rather never than always
  }
  offer(on) { // the button stands out: a card would lie on the tour's subject
    const { labels } = this.shown;
    this.start.classList.toggle("main", on);
    this.start.title = this.start.ariaDescription = on ? labels.offer : "";
  }
  open() {
    this.offer(false);
    this.wasOffered();
    this.stops = this.shown.stops.filter(areaOf);
    if (!this.stops.length) return;
    const fresh = this.at < 0;
    this.ring.showPopover();
    this.card.showPopover();
    this.show(0);
    if (fresh) requestAnimationFrame(() => this.watch());
  }
  show(to) {
    this.at = to;
    const stop = this.stops[to], number = this.stops.length, { labels } = this.shown;
    this.say(".card h2", stop.title);
    this.say(".card p", stop.text);
    this.say(".card header span", filled(labels.place, { place: to + 1, number }));
    this.say(".card [data-do=next]", to === number - 1 ? labels.done : labels.next);
    this.part(".card [data-do=back]").disabled = to === 0;
    this.card.ariaLabel = `${labels.tour}: ${stop.title}`;
    const behavior = this.still.matches ? "instant" : "smooth";
    targets(stop)[0]?.[0].scrollIntoView({ block: "nearest", behavior });
    this.drawn = "";
    this.follow();
    this.card.focus({ preventScroll: true });
  }
  end(back = true) {
    this.at = -1;
    for (const one of [this.ring, this.card]) one.hidePopover();
    if (!back) return;
    this.start.focus({ preventScroll: true });
    if (this.start.matches(":focus-visible")) this.start.scrollIntoView({ block: "nearest" }); // by keyboard
  }

  // --- where the ring and the card lie
  watch() { // the ringed part moves: the page scrolls, is resized, is drawn again
    if (this.at < 0 || !this.box.isConnected) return;
    this.follow();
    requestAnimationFrame(() => this.watch());
  }
  follow() {
    const area = areaOf(this.stops[this.at]);
    const now = JSON.stringify([area, innerWidth, innerHeight, this.card.offsetHeight]);
    if (now === this.drawn) return;
    this.drawn = now;
    this.ring.toggleAttribute("data-lost", !area); // it is being drawn again
    if (!area) return;
    const top = Math.max(EDGE, area.top - AROUND), left = Math.max(EDGE, area.left - AROUND);
    const bottom = Math.min(innerHeight - EDGE, area.bottom + AROUND);
    const right = Math.min(innerWidth - EDGE, area.right + AROUND);
    const ring = { top, left, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
    Object.assign(this.ring.style, pixels(ring));
    Object.assign(this.card.style, pixels(this.cardBeside({ top, left, bottom, right })));
  }
  cardBeside({ top, left, bottom, right }) { // the ring: where there is room, in this order
    const width = Math.min(WIDE, innerWidth - 2 * MARGIN), height = this.card.offsetHeight;
    const across = within(left, width, innerWidth), along = within(top, height, innerHeight);
    let x = innerWidth - width - MARGIN, y = innerHeight - height - MARGIN;
    if (right + width + 2 * MARGIN < innerWidth) [x, y] = [right + MARGIN, along];
    else if (bottom + height + 2 * MARGIN < innerHeight) [x, y] = [across, bottom + MARGIN];
    else if (top - height - 2 * MARGIN > 0) [x, y] = [across, top - height - MARGIN];
    else if (left - width - 2 * MARGIN > 0) [x, y] = [left - width - MARGIN, along];
    return { left: x, top: within(y, height, innerHeight), width };
  }

  // --- from Python
  connect(next) {
    if (JSON.stringify(next) === JSON.stringify(this.shown)) return;
    this.shown = next;
    const { labels } = next;
    this.say(".start span", labels.start);
    this.start.ariaLabel = labels.start;
    this.say(".card [data-do=back]", labels.back);
    this.say(".card [data-do=close]", labels.close);
    if (this.at >= 0) this.end(false); // in another language now
    this.offer(this.start.matches(".main") || !this.wasOffered());
  }
  close() {
    this.at = -1;
    super.close();
  }
}

export default function tour({ data, parentElement: root }) {
  return mount(Tour, root, data);
}
