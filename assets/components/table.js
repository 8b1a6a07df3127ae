// A table as text: it can be read out, copied, printed, sorted by the name of a column and, with a box from Python,
// searched. Rows are drawn in portions, with the scrolling. Cells are somebody's text, and stay text.

const LONGEST = 500; // characters of a cell to show; its tooltip and the file have more
const SOON = 300; // ms after the last key in the box until Python looks through all rows
const LOST = 3000; // ms until a file is asked for once more: one run's messages may go under in the next one
const ASKS = 3; // the most requests for it
const AHEAD = 600; // px below the visible part: rows are drawn there, too
const SCROLLS = ["ArrowLeft", "ArrowRight", "Home", "End", " "]; // keys that operate the stage elsewhere
const FORMULA = /^'*[=+\-@＝＋－＠]/; // more than text for a spreadsheet, as in the engine's `inert`
const ORDERS = [undefined, "ascending", "descending"]; // one after the other

const grouped = (whole) => `${whole}`.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "\u2212");
function decimal(value, digits) { // with so many digits after the point, or six significant ones
  const [whole, ...rest] = (digits == null ? `${Number(value.toPrecision(6))}` : value.toFixed(digits)).split(".");
  return [grouped(whole), ...rest.map((part) => part.replace("-", "\u2212"))].join(".");
}
const WRITTEN = { // a cell's text
  text: (text) => (text.length > LONGEST ? `${shortened(text, LONGEST)}…` : text).replace(/\r\n?|\n/g, "⏎"),
  tick: (is) => (is ? "✓" : ""),
  whole: grouped,
  id: String,
  fraction: String,
  decimal,
};
const VALUES = { // the values for sorting; a whole number beyond 2⁵³ comes as text
  text: String,
  tick: Number,
  whole: Number,
  id: Number,
  fraction: (text) => text.split("/").map(Number).reduce((over, under) => over / under),
  decimal: Number,
};
const collator = new Intl.Collator(undefined, { numeric: true });
const compare = (one, other) => (typeof one === "string" ? collator.compare(one, other) : one - other);

class Table extends Component {
  table = { columns: [] };
  sort = {}; // the name of a column, and the order
  order = []; // places of rows, as they are shown
  drawn = 0; // how many of them are
  top = 0; // px scrolled: asked of the browser, it would first have to lay everything out
  requests = new Map(); // turns of a file, and its kind
  turn = 0; // the same may be asked for again

  constructor(root) {
    super(root, "ts-table", `<div class="bar">
      <label class="find"><span></span><input type="search" maxlength="9999"></label><p class="told"></p>
      <label class="all"><input type="checkbox" role="switch"><span></span></label></div>
      <p class="problem" role="alert"></p><div class="rows" role="region"><table><thead></thead><tbody></tbody></table>
      <p class="none" role="status"></p></div><p class="rest"></p><div class="files"></div>`);
    [this.rows, this.head, this.body, this.find, this.all] =
      [".rows", "thead", "tbody", ".find input", ".all input"].map((selector) => this.part(selector));
    this.rows.addEventListener("scroll", () => this.onScroll(), { passive: true });
    this.rows.addEventListener("keydown", (event) => {
      if (event.target === this.rows && SCROLLS.includes(event.key)) event.stopPropagation();
    });
    this.rows.addEventListener("copy", (event) => this.onCopy(event));
    this.find.addEventListener("input", () => this.search());
    this.find.addEventListener("keydown", ({ key }) => { if (key === "Enter") this.ask(); });
    this.all.addEventListener("change", () => this.ask());
    this.box.addEventListener("click", ({ target }) => this.click(target.closest("button")));
    this.watch = new ResizeObserver(() => this.fit());
    for (const node of [this.rows, this.rows.firstChild]) this.watch.observe(node);
  }
  connect(data, setStateValue, setTriggerValue) {
    this.trigger = setTriggerValue;
    super.connect(data, setStateValue);
  }
  close() {
    this.watch.disconnect();
    super.close();
  }
  receive({ head: { search = null, files = {}, file, none }, table }) {
    const other = table.id !== this.table.id, first = !this.table.id;
    this.table = table;
    this.part(".bar").hidden = !search;
    if (search) this.receiveSearch(search, first);
    this.problem = this.part(".problem").textContent = search?.problem ?? "";
    this.part(".none").textContent = none;
    this.part(".rest").textContent = table.rest;
    this.rows.ariaLabel = search?.told || table.columns.map(({ name }) => name).filter(Boolean).join(", ");
    this.offer(Object.entries(files));
    if (other) this.drawHead();
    if (other || search) this.draw();
    if (!file || !this.requests.delete(file.turn)) return;
    this.cancel(`file${file.turn}`);
    hand(new Blob([file.text], { type: "text/csv" }), file.name);
  }
  receiveSearch({ text, told: status, everything, words }, first) {
    this.part(".find span").textContent = words.find;
    this.part(".all span").textContent = words.all;
    this.find.placeholder = words.example;
    this.part(".told").textContent = status;
    this.part(".all").hidden = everything === null;
    this.query = text; // the text of Python's search
    if (first) [this.find.value, this.all.checked] = [text, everything ?? false];
    else if (text !== this.text() || (everything ?? this.all.checked) !== this.all.checked) this.soon(); // it was lost
  }
  offer(kinds) { // the buttons for saving the table
    const node = this.part(".files"), labels = kinds.map(([, label]) => label).join();
    if (labels === this.labels) return;
    this.labels = labels;
    node.replaceChildren(...kinds.map(([kind, textContent]) =>
      make("button", { type: "button", textContent, data: { kind } })));
  }

  // --- requests to Python
  text() { // no longer than the server lets through as it is
    return this.find.value.toWellFormed();
  }
  search() { // at once in the rows here, and soon in all
    this.draw();
    this.soon();
  }
  soon() {
    this.later("ask", SOON, () => this.ask());
  }
  ask() {
    this.cancel("ask");
    this.send("asked", [this.text(), this.all.checked, ++this.turn]);
  }
  askForFile(turn, times = ASKS) {
    this.trigger("file", [this.requests.get(turn), turn]);
    if (times > 1) this.later(`file${turn}`, LOST, () => this.askForFile(turn, times - 1));
  }
  click(button) {
    if (!button) return;
    const { kind, column } = button.dataset;
    if (kind !== undefined) {
      this.requests.set(++this.turn, kind);
      this.askForFile(this.turn);
      return;
    }
    const { name } = this.table.columns[column], order = this.sort.name === name ? this.sort.order : undefined;
    this.sort = { name, order: ORDERS[(ORDERS.indexOf(order) + 1) % ORDERS.length] };
    this.mark();
    this.draw();
    if (this.top) this.rows.scrollTop = 0;
  }

  onCopy(event) { // several cells may go to a spreadsheet: as in the file, none becomes a formula there
    const text = `${(this.root.getSelection?.() ?? document.getSelection())}`;
    if (!/[\t\n]/.test(text)) return;
    const inert = text.split(/([\t\n])/).map((part) => (FORMULA.test(part) ? `'${part}` : part));
    event.clipboardData.setData("text/plain", inert.join(""));
    event.preventDefault();
  }

  // --- drawing
  drawHead() {
    const names = this.table.columns.map(({ name, kind }, column) => {
      const button = make("button", { type: "button", textContent: name, data: { column } });
      return make("th", { scope: "col", className: kind }, button);
    });
    this.head.replaceChildren(make("tr", {}, ...names), ...this.widest());
    this.mark();
  }
  widest() { // an invisible row: columns don't become wider with new rows out of sight
    const { columns, portion } = this.table;
    if (!(columns[0]?.cells.length > portion)) return [];
    const size = (cell) => `${cell ?? ""}`.length;
    const longest = ({ cells }) => cells.reduce((best, cell, row) => (size(cell) > size(cells[best]) ? row : best), 0);
    const cells = columns.map((column) => this.cell({ ...column, heads: false }, longest(column)));
    return [make("tr", { className: "widest", ariaHidden: "true" }, ...cells)];
  }
  mark() { // the column of the sorting
    [...this.head.firstChild.children].forEach((node, column) => {
      node.ariaSort = this.table.columns[column].name === this.sort.name ? this.sort.order ?? null : null;
    });
  }
  draw() { // as many rows as there were, if they are scrolled: they stay where they are
    const least = this.top ? this.drawn : 1;
    this.order = this.sorted(this.searched());
    this.body.replaceChildren();
    for (this.drawn = 0; this.drawn < least && this.more(););
    this.part(".none").hidden = this.order.length > 0 || (this.query !== undefined && this.query !== this.text());
  }
  searched() { // rows with the searched text: Python's `matching`
    const { columns } = this.table, text = this.problem ? "" : this.text();
    const all = Array.from(columns[0]?.cells ?? [], (_, row) => row);
    if (!text) return all;
    const parts = columns.slice(1, 3).filter(({ kind }) => kind === "text").map(({ cells }) => cells);
    return all.filter((row) => {
      const tokens = parts.map((cells) => cells[row]);
      return tokens.join("").includes(text) || tokens.join(" ").includes(text);
    });
  }
  sorted(rows) { // missing values come last
    const column = this.sort.order && this.table.columns.find(({ name }) => name === this.sort.name);
    if (!column) return rows;
    const keys = column.cells.map((cell) => (cell === null ? null : VALUES[column.kind](cell)));
    const sign = this.sort.order === "ascending" ? 1 : -1;
    return rows.sort((one, other) => (keys[one] === null || keys[other] === null
      ? (keys[one] === null) - (keys[other] === null) : sign * compare(keys[one], keys[other])));
  }
  more() { // another portion, unless all are there; the first one is for printing
    const { columns, portion } = this.table, rows = this.order.slice(this.drawn, this.drawn + portion);
    const className = this.drawn ? "beyond" : "";
    const cells = (row) => columns.map((column) => this.cell(column, row));
    this.body.append(...rows.map((row) => make("tr", { className }, ...cells(row))));
    this.drawn += rows.length;
    return rows.length > 0;
  }
  cell({ kind, cells, digits, heads }, row) {
    const value = cells[row], textContent = value === null ? "–" : WRITTEN[kind](value, digits);
    const node = make(heads ? "th" : "td", { textContent, className: kind });
    if (heads) node.scope = "row";
    if (kind === "text" && value?.length > LONGEST) node.title = value;
    return node;
  }
  onScroll() {
    this.top = this.rows.scrollTop;
    while (this.rows.scrollHeight - this.top - this.rows.clientHeight < AHEAD && this.more());
  }
  fit() { // a stop of the Tab key where there is something to scroll
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = this.rows;
    this.rows.tabIndex = scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1 ? 0 : -1;
  }
}

export default function table({ data, parentElement: root, setStateValue, setTriggerValue }) {
  return mount(Table, root, data, setStateValue, setTriggerValue);
}
