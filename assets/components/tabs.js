// The names of tabs. Python draws the open tab's contents into the element under them. A clicked tab is marked at once;
// the last one's contents are dimmed until Python answers, and then hidden until they are drawn over.

const PAUSE = 150; // ms between arrow keys: a tab only passed isn't asked for
const TURNING = "turning"; // on the panel: "asked", then "answered" until all earlier contents are gone
const STALE = '[data-stale="true"]'; // Streamlit has not drawn these again yet

class Tabs extends Component {
  turn = 0; // how many tabs were opened here
  open = ""; // the name of the marked one
  shown = ""; // and of the one with its body there

  constructor(root) {
    super(root, "ts-tabs", `<div role="tablist"></div><div class="more" hidden>
      <button type="button" aria-haspopup="menu" aria-expanded="false"></button><div role="menu" hidden></div></div>`);
    this.list = this.part("div");
    this.more = this.part(".more > button");
    this.menu = this.part("[role=menu]");
    this.more.addEventListener("click", () => this.unfold(this.menu.hidden));
    this.menu.addEventListener("click", ({ target }) => this.take(target.closest("[role=menuitem]")));
    this.part(".more").addEventListener("keydown", (event) => this.onMenuKey(event));
    // Safari gives the focus to no button that is clicked: it would leave, and the menu be gone before the click.
    this.part(".more").addEventListener("mousedown", (event) => event.preventDefault());
    this.part(".more").addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.part(".more").contains(relatedTarget)) this.unfold(false);
    });
    this.list.addEventListener("click", ({ target }) => {
      const tab = target.closest("[role=tab]");
      if (tab) this.choose(tab, 0);
    });
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.watch = new MutationObserver(() => this.look());
    this.settled = new MutationObserver(() => this.settle());
    this.resized = new ResizeObserver(() => this.reveal());
    this.resized.observe(this.list);
  }
  close() {
    for (const observer of [this.watch, this.settled, this.resized]) observer.disconnect();
    super.close();
  }
  get tabs() { // all of them: beyond the first few they are hidden until they are open
    return [...this.list.children];
  }
  receive({ names, front, more, shown, turn, panel }) {
    const first = !this.names, text = JSON.stringify(names);
    this.panelName = panel;
    this.front = front;
    this.more.textContent = more;
    this.menu.ariaLabel = more;
    this.part(".more").hidden = names.length <= front;
    if (text !== this.names) this.draw(names);
    this.names = text;
    if (first) this.turn = turn;
    if (turn >= this.turn) this.answer(shown); // else it answers something older than the last click
    const outer = this.root.closest('[class*="st-key-tabs-"]');
    if (first && outer) this.watch.observe(outer, { childList: true });
  }
  draw(names) {
    const focus = this.list.contains(document.activeElement);
    this.list.replaceChildren(...names.map(([name, textContent], i) =>
      make("button", { type: "button", role: "tab", id: `${this.panelName}-tab-${i}`, textContent, data: { name } })));
    this.mark();
    if (focus) this.tabs.find((tab) => tab.tabIndex === 0)?.focus();
  }
  mark() {
    for (const [index, tab] of this.tabs.entries()) {
      const is = tab.dataset.name === this.open;
      tab.hidden = index >= this.front && !is;
      tab.ariaSelected = String(is);
      tab.tabIndex = is ? 0 : -1;
    }
  }
  get openTab() {
    return this.tabs.find((tab) => tab.ariaSelected === "true");
  }
  reveal() { // the open one and a part of the next, without the page scrolling, too
    const tab = this.openTab, rest = 40;
    if (!tab) return;
    const [start, end] = [tab.offsetLeft - rest, tab.offsetLeft + tab.offsetWidth + rest];
    if (start < this.list.scrollLeft) this.list.scrollLeft = start;
    else if (end > this.list.scrollLeft + this.list.clientWidth) this.list.scrollLeft = end - this.list.clientWidth;
  }

  // --- opening one
  onKey(event) {
    const tabs = this.tabs.filter((tab) => !tab.hidden), i = tabs.indexOf(event.target), last = tabs.length - 1;
    const to = { ArrowRight: i === last ? 0 : i + 1, ArrowLeft: i ? i - 1 : last, Home: 0, End: last }[event.key];
    if (i < 0 || to === undefined || hasModifier(event)) return;
    event.preventDefault();
    event.stopPropagation(); // these keys operate the stage elsewhere
    tabs[to].focus({ preventScroll: true });
    this.choose(tabs[to], PAUSE);
  }

  // --- the others
  unfold(open) {
    this.more.ariaExpanded = String(open);
    this.menu.hidden = !open;
    if (!open) return;
    const others = this.tabs.filter((tab) => tab.hidden);
    this.menu.replaceChildren(...others.map(({ textContent, dataset: { name } }) =>
      make("button", { type: "button", role: "menuitem", tabIndex: -1, textContent, data: { name } })));
    this.menu.firstChild?.focus();
    this.menu.scrollIntoView({ block: "nearest" }); // whole: at the foot of the window, it opens beyond it
  }
  take(item) {
    const tab = item && this.tabs.find(({ dataset }) => dataset.name === item.dataset.name);
    if (!tab) return;
    this.choose(tab, 0);
    this.unfold(false);
    tab.focus({ preventScroll: true });
  }
  onMenuKey(event) {
    const items = [...this.menu.children], i = items.indexOf(event.target), last = items.length - 1;
    if (hasModifier(event)) return;
    if (event.key === "Escape" && !this.menu.hidden) {
      this.unfold(false);
      this.more.focus({ preventScroll: true });
    } else if (event.key === "ArrowDown" && i < 0) this.unfold(true);
    else {
      const to = { ArrowDown: i === last ? 0 : i + 1, ArrowUp: i ? i - 1 : last, Home: 0, End: last }[event.key];
      if (i < 0 || to === undefined) return;
      items[to].focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }
  choose(tab, pause) {
    if (tab.dataset.name === this.open) return;
    this.open = tab.dataset.name;
    this.turn += 1;
    this.mark();
    this.reveal();
    this.turnPanel("asked");
    this.later("tell", pause, () => this.send("open", [this.open, this.turn]));
  }

  // --- the open one's contents
  get panel() {
    return document.querySelector(`.${CSS.escape(this.panelName)}`);
  }
  answer(shown) { // this one's body comes now; everything drawn before is stale until then
    const moved = this.open !== shown;
    this.open = shown;
    this.mark();
    if (moved) this.reveal();
    if (this.panel?.dataset[TURNING] || (this.shown && this.shown !== shown)) this.turnPanel("answered");
    this.settle();
  }
  turnPanel(state) { // as high as it was: parts below stay in place
    const { panel } = this;
    if (!panel) return;
    if (!panel.dataset[TURNING]) panel.style.minHeight = `${panel.offsetHeight}px`;
    panel.dataset[TURNING] = state;
    panel.ariaBusy = "true";
    this.settled.observe(panel, { subtree: true, childList: true, attributeFilter: ["data-stale"] });
  }
  settle() {
    const { panel } = this;
    if (panel?.dataset[TURNING] === "asked" || panel?.querySelector(`:scope[data-turning] ${STALE}`)) return;
    this.shown = this.open;
    this.settled.disconnect();
    this.look();
    if (!panel?.dataset[TURNING]) return;
    delete panel.dataset[TURNING];
    panel.style.minHeight = "";
    panel.ariaBusy = null;
  }
  look() { // the panel may be there later than its tabs, or be drawn anew
    const { panel, tabs } = this, tab = tabs.find(({ dataset }) => dataset.name === this.shown);
    if (!panel || !tab) return;
    panel.id = `${this.panelName}-id`;
    panel.role = "tabpanel";
    panel.setAttribute("aria-labelledby", tab.id);
    for (const other of tabs) other.removeAttribute("aria-controls");
    tab.setAttribute("aria-controls", panel.id);
  }
}

export default function tabs({ data, parentElement: root, setStateValue }) {
  return mount(Tabs, root, data, setStateValue);
}
