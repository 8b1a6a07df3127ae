// The code in step: marks the lines at work in the stage's beat, and shows the values of their names. Python sends the
// lines as markup and the place of each key; the frames name the keys (data-code) and the values (data-values) of their
// two beats. Nothing here asks the server.

const MARKUP = `<header aria-hidden="true"><p></p><p></p><p></p></header><ol tabindex="0"></ol>`;

class Code extends Component {
  lines = {}; // the place of each key's line
  file = ""; // where the lines are from
  stage; // of the page's flipbook
  marked = []; // lines
  shown; // the part of the stage shown here
  watcher = new MutationObserver(() => this.show());
  sizes = new ResizeObserver(() => this.keepInSight()); // a list that was hidden is at its beginning

  constructor(root) {
    super(root, "ts ts-code", MARKUP);
    this.list = this.part("ol");
    [this.head, ...this.rows] = this.box.querySelectorAll("header p");
    document.addEventListener("tokensteps:stage", () => this.find(), { signal: this.gone.signal });
    this.sizes.observe(this.list);
  }
  find() { // the page's flipbook: it may have been mounted again
    const next = document[MAIN]?.querySelector(":scope > .stage");
    if (next === this.stage) return;
    this.watcher.disconnect();
    this.stage = next;
    if (next) this.watcher.observe(next, { attributes: true, attributeFilter: ["data-beat"], childList: true });
    this.show();
  }
  show() {
    const { code = "", values = "" } = this.stage?.querySelector("[data-code]")?.dataset ?? {};
    const beat = this.stage?.dataset.beat ?? "2";
    const where = [...(document[MAIN]?.querySelectorAll(".where > *") ?? [])].map((part) => part.textContent).join(" ");
    const now = [where, beat, code, values].join("\n");
    if (now === this.shown) return;
    this.shown = now;
    this.head.textContent = [this.file, where].filter(Boolean).join(" · ");
    this.clear();
    const texts = values.split("\n"), beats = code.split(" ").slice(0, beat === "1" ? 1 : 2);
    // In the second beat, the first one's lines stay marked, but paler.
    beats.forEach((keys, i) => this.mark(keys.split("+"), texts[i] ?? "", this.rows[i], i === beats.length - 1));
  }
  clear() {
    for (const line of this.marked) {
      line.className = line.lastChild.textContent = "";
      line.ariaCurrent = null;
    }
    this.marked = [];
    for (const row of this.rows) row.textContent = row.className = "";
  }
  mark(keys, values, row, now) { // the lines of a beat, and the values of their names
    const lines = keys.map((key) => this.list.children[this.lines[key] - 1]).filter(Boolean);
    for (const line of lines) line.className = now ? "now" : "was";
    this.marked.push(...lines);
    if (!lines.length) return;
    lines[0].lastChild.textContent = values;
    row.textContent = `${lines[0].firstChild.textContent}  ${values}`; // the line's number
    row.className = now ? "now" : "";
    if (!now) return;
    lines[0].ariaCurrent = "step";
    this.keepInSight();
  }
  keepInSight() { // scrolls the list alone, never the page
    const line = this.list.querySelector("[aria-current]");
    if (!line) return;
    const a = line.getBoundingClientRect(), b = this.list.getBoundingClientRect(), room = 2 * a.height;
    if (a.top >= b.top + room && a.bottom <= b.bottom - room) return;
    this.list.scrollTop += (a.top - b.top - (b.height - a.height) / 2) / (line.currentCSSZoom ?? 1);
  }
  receive(message) {
    [this.lines, this.file] = [message.lines, message.file];
    this.list.ariaLabel = message.label;
    if (this.source !== message.html) this.list.innerHTML = this.source = message.html;
    [this.marked, this.shown] = [[], undefined];
    this.find();
    this.show();
  }
  connect(...args) {
    super.connect(...args);
    this.find();
  }
  close() {
    this.watcher.disconnect();
    this.sizes.disconnect();
    super.close();
  }
}

export default function code({ data, parentElement: root }) {
  return mount(Code, root, data);
}
