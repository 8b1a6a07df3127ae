// The results of a class: each question with the bars of its votes, the number of right answers, the way to its step,
// and the places where students were lost. Only its lecturer can see it: the browser has the key.

const FRESH = 900; // ms until the room's changes are asked for

class Classroom extends Component {
  constructor(root) {
    super(root, "classroom", "");
    this.wrong = make("p", { className: "wrong", data: { key: "wrong" } });
    this.wrong.setAttribute("role", "alert");
    this.box.addEventListener("click", ({ target }) => this.onClick(target.closest("button")));
  }
  connect(next) {
    this.labels = next.labels;
    this.next = next;
    const code = next.code && saved.get(next.code).key ? next.code : "", isOther = code !== this.watched;
    if (isOther) this.watch(code);
    this.show((isOther && code) || this.code);
  }
  watch(code) { // a class still under way
    this.watched = code;
    this.unwatch?.();
    if (!code) return;
    const room = Room.at(code), change = ({ detail }) => {
      if (["tally", "progress", "people", "ask", "drop"].includes(detail)) this.students?.refresh();
      if (!["reveal", "shown", "end", "lost", "state"].includes(detail)) return;
      this.later("fresh", FRESH, () => { // somebody may be reading another class's results; the end shows this one's
        if (detail === "end" || code === this.code) this.show(code);
      });
    };
    room.addEventListener("change", change);
    this.unwatch = () => room.removeEventListener("change", change);
  }
  classes() {
    const isOld = ({ at }) => at < Date.now() - DAY; // nothing of it is left
    return Object.entries(saved.all()).filter(([, one]) => one?.key && !isOld(one)).map(([code]) => code).reverse();
  }
  async show(code) {
    if (code !== this.code) this.wrong.textContent = "";
    this.code = code;
    const list = this.classes(), { labels } = this;
    const buttons = list.map((one) => make("button",
      { type: "button", textContent: filled(labels.summary, { code: one }), data: { code: one } }));
    const chooser = list.length > (code ? 1 : 0)
      && [make("h2", { textContent: labels.yours }), make("div", { className: "actions" }, ...buttons)];
    let parts = [];
    if (code) {
      try {
        const as = encodeURIComponent(saved.get(code).key);
        parts = this.summary(await answered(fetch(`${api()}${code}/summary?as=${as}`)));
      } catch ({ kind }) {
        parts = [make("p", { textContent: labels[`error_${kind}`] ?? labels.error_store })];
      }
    }
    if (code === this.code) put(this.box, [...parts, ...(chooser || [])]);
  }
  summary(results) {
    const { labels } = this, groups = new Map();
    for (const round of results.rounds) groups.set(round.first, [...(groups.get(round.first) ?? []), round]);
    const offered = [...(results.nicknames ? ["grades"] : []), "csv", "print", "refresh"];
    const actions = make("div", { className: "actions" }, ...offered.map((what) =>
      make("button", { type: "button", textContent: labels[what], data: { do: what } })));
    const head = [filled(labels.joined, { number: results.joined }), filled(labels.questions, { number: groups.size })];
    const runs = new Map(results.runs.map((one) => [one.run, one]));
    const isOpen = ({ state }) => !results.ended && ["open", "shown"].includes(state);
    const questions = [...groups.values()].map((rounds) => this.question(rounds, runs, isOpen(rounds.at(-1))));
    return [make("h2", { textContent: filled(labels.summary, { code: results.code }) }),
      make("p", { className: "soft", textContent: head.join(" · ") }), actions, this.wrong,
      ...(results.nicknames ? [this.people(results.code)] : []),
      ...(questions.length ? questions : [make("p", { textContent: labels.none_asked })]),
      make("h2", { textContent: labels.lost }), this.lost(results)];
  }
  people(code) { // as it was: it may be open
    const { labels } = this;
    if (this.students?.code !== code || this.students.labels !== labels) this.students = new Students(labels, code);
    this.students.draw();
    return this.students.node;
  }
  question(rounds, runs, isOpen) { // an open one's answer isn't given away: this page may be on the wall
    const { labels } = this, [{ question, place: there }] = rounds, place = { ...runs.get(there.run), ...there };
    const shares = rounds.map((round, index) => this.share(round, index, isOpen));
    const answers = rounds.at(-1).state === "open" && isOpen ? [] : [question.input === "free"
      ? wordsTable(labels, question, rounds.at(-1), !isOpen)
      : barsTable(labels, question, rounds, isOpen ? null : question)];
    return make("article", {}, make("h3", {}, ...inLanguage(question.say)),
      make("p", { className: "soft", textContent: shares.join(" · ") }), ...answers,
      ...(this.link(place) ? [make("p", {}, this.link(place))] : []));
  }
  share({ question, answered: number, of, right, tied }, index, isOpen) {
    const { labels } = this, parts = [filled(labels.answered, { number, of: Math.max(of, number) })];
    if (!isOpen && question.key?.length && number) {
      parts.push(filled(labels.share_right, { share: percent((right ?? 0) / number) }));
      if (tied) parts.push(filled(labels.share_tied, { share: percent(tied / number) }));
    }
    const all = parts.join(labels.comma);
    return index ? filled(labels.next_vote, { number: index + 1, told: all }) : all;
  }
  link(place) {
    const [path, title] = this.next.pages[place?.page] ?? [];
    if (path === undefined) return null;
    const query = new URLSearchParams(place.query);
    if (place.step) query.set("step", place.step);
    const lang = new URLSearchParams(location.search).get("lang");
    if (lang) query.set("lang", lang);
    const words = filled(this.labels.step_link, { page: title, step: place.step });
    return make("a", { href: `${new URL(path || ".", new URL(".", location.href))}?${query}`, textContent: words });
  }
  lost({ lost, runs = [] }) {
    const { labels } = this, pages = new Map(runs.map(({ run, page }) => [run, page]));
    if (!lost?.length) return make("p", { className: "soft", textContent: labels.nobody_lost });
    const places = [...lost].sort((one, other) => one.run - other.run || one.step - other.step)
      .map((one) => ({ ...one, label: pages.get(one.run) }));
    return lostCurve(labels, places);
  }
  async onClick(button) {
    if (!button) return;
    if (button.dataset.code) this.show(button.dataset.code);
    else if (button.dataset.do === "print") print();
    else if (button.dataset.do === "refresh") this.show(this.code);
    else await this.save(button.dataset.do);
  }
  async save(form) {
    const { code, labels } = this, as = encodeURIComponent(saved.get(code).key);
    this.wrong.textContent = "";
    try {
      const answer = await arrived(fetch(`${api()}${code}/summary?as=${as}&form=${form}`));
      hand(await answer.blob(), `class-${code}-${form === "csv" ? "answers" : form}.csv`);
    } catch ({ kind }) {
      this.wrong.textContent = labels[`error_${kind}`] ?? labels.error_store;
    }
  }
  close() {
    this.unwatch?.();
    super.close();
  }
}

export default function classroom({ data, parentElement: root }) {
  return mount(Classroom, root, data);
}
