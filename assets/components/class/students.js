// The students with their answers, live: for the lecturer's own screen, if nicknames were asked for. It is folded at
// first, as the screen may be a wall.

const STUDENTS_FRESH = 1500; // ms between two looks at the answers
const MARKS = { right: "✓", half: "½", quarter: "¼", tied: "=", wrong: "✗" };

class Students {
  constructor(labels, code) {
    [this.labels, this.code] = [labels, code];
    this.body = make("div");
    this.node = make("details", { className: "students" },
      make("summary", { textContent: labels.students_title }), this.body);
    this.node.addEventListener("toggle", () => this.draw());
  }
  refresh() { // messages within a moment lead to one request
    if (!this.node.open || this.waits) return;
    this.waits = true;
    setTimeout(() => { this.waits = false; this.draw(); }, STUDENTS_FRESH);
  }
  async draw() {
    if (!this.node.open || !saved.get(this.code).key) return;
    try {
      const as = encodeURIComponent(saved.get(this.code).key);
      const book = await answered(fetch(`${api()}${this.code}/summary?as=${as}&form=students`));
      const { scrollLeft = 0 } = this.body.firstChild ?? {};
      this.body.replaceChildren(this.table(book));
      this.body.firstChild.scrollLeft = scrollLeft;
    } catch ({ kind }) {
      this.body.replaceChildren(make("p", { textContent: this.labels[`error_${kind}`] ?? this.labels.error_store }));
    }
  }
  table({ columns, students }) {
    const { labels } = this, graded = columns.filter((one) => one.graded).length;
    if (!students.length) return make("p", { className: "soft", textContent: labels.no_students });
    const heads = columns.map(({ say }, index) => {
      const words = make("span", {}, ...inLanguage(say)).textContent;
      return make("th", { scope: "col", title: words }, make("b", { textContent: index + 1 }),
        make("span", { textContent: words }));
    });
    const rows = students.map(({ number, nickname, team, marks, total, tied }) => make("tr", {},
      make("th", { scope: "row" }, make("bdi", { textContent: nickname || filled(labels.student, { number }) }),
        ...(team === null ? [] : [" ", teamNode(labels, team)])),
      ...marks.map((mark) => this.mark(mark)),
      make("td", { className: "total", textContent: this.totalTold(total, graded, tied) })));
    return make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: labels.students_title },
      make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col", textContent: labels.who }),
        ...heads, make("th", { scope: "col", textContent: labels.total }))), make("tbody", {}, ...rows)));
  }
  mark(mark) {
    const { labels } = this;
    if (!mark) return make("td", {}, make("span", { className: "unseen", textContent: labels.none }));
    const { answer, verdict, tries } = mark, name = labels[`mark_${verdict}`] ?? "";
    const title = [answer, name, tries > 1 && filled(labels.tries, { number: tries })].filter(Boolean).join(" · ");
    return make("td", { className: verdict, title }, verdict && make("b", { textContent: MARKS[verdict] ?? "" }),
      verdict && make("span", { className: "unseen", textContent: ` ${name} ` }), make("bdi", { textContent: answer }));
  }
  totalTold(total, of, tied) {
    const all = filled(this.labels.total_of, { total: Number(total), of });
    return tied ? `${all}, ${filled(this.labels.tied_number, { number: tied })}` : all;
  }
}
