// The lecturer's question: beside the stage, on the wall for all to see. First it is put together, then it counts how
// many have answered; bars come when they are asked for, and the right answer last. A second vote stands beside the
// first.

const MOST_PICKED = 12; // answers in people's own words on the wall
const COUNTDOWNS = [0, 30, 60, 120];
const FITS = [0, 1, 2, 3]; // how much closer and smaller a question is drawn: the first level that fits
const LOOKED_UP = 2000; // ms after the last key until somebody who has typed sees that the boxes are gone
const SIGNS_OF_MORE = ["", "↑", "↓", "↕"]; // what is out of sight: above, below, both

class Wall {
  // A question before it is asked: {question, kinds}; without a question, one of the lecturer's own, and why.
  draft = null;
  seconds = 0;
  typed = null; // when the last key came that was for the boxes, while another device's question is in their place

  constructor(strip) {
    this.strip = strip;
    this.node = make("section", { className: "ts-class-wall", hidden: true, tabIndex: -1 });
    this.node.setAttribute("role", "region");
    document.body.append(this.node);
    this.node.addEventListener("click", ({ target, detail }) => {
      if (detail < 2) this.onClick(target.closest("button")); // a double click's second would be the next button's
    });
    this.node.addEventListener("keydown", (event) => this.onKeyInside(event));
    this.node.addEventListener("change", ({ target }) => { if (target.matches(".words input")) this.pick(target); });
    this.node.addEventListener("scroll", () => this.sign(), { passive: true });
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(this.node);
  }
  get labels() {
    return this.strip.labels;
  }
  get round() {
    return this.strip.room.state?.round;
  }
  isOpen() {
    return !this.node.hidden;
  }
  isAsking() { // the next step is hidden from the moment when the question is on the wall
    return this.draft !== null || (this.isLive() && this.round.state !== "revealed");
  }
  isLive() {
    return Boolean(this.round) && this.strip.room.put !== this.round.round;
  }

  // --- drawing
  fit() { // a row cut off might have the only vote of a team
    const { node } = this;
    for (const level of FITS) {
      node.dataset.fit = level;
      if (node.scrollHeight <= node.clientHeight + 1) break;
    }
    this.sign();
  }
  sign() { // ↓ and ↑ scroll it: projector.js
    const { scrollTop, scrollHeight, clientHeight } = this.node;
    const sign = SIGNS_OF_MORE[(scrollTop > 1) + 2 * (scrollTop + clientHeight < scrollHeight - 1)];
    this.node.querySelector("footer")?.setAttribute("data-more", sign);
  }
  update() {
    const asking = this.draft !== null || this.isLive(), opened = asking && this.node.hidden;
    const inside = this.node.contains(document.activeElement), action = document.activeElement?.dataset.do;
    if (opened) this.was = focused();
    this.node.hidden = !asking;
    if (asking) {
      this.node.ariaLabel = this.labels.question;
      put(this.node, (this.draft ? this.draftParts() : this.roundParts(this.round)).filter(Boolean));
      for (const box of this.node.querySelectorAll(".words input")) {
        box.checked = (this.round.picked ?? []).includes(box.dataset.key); // another device may have picked it
      }
      const first = this.node.querySelector("textarea, button.main") ?? this.node;
      const main = first.checkVisibility() ? first : this.strip.presenter.mainButton();
      const same = action && this.node.querySelector(`[data-do="${action}"]:not([aria-disabled="true"])`);
      const lost = inside && !this.node.contains(document.activeElement);
      const typing = opened && this.was?.closest(TAKES_LETTERS); // as another device asks
      const phase = this.draft ? "draft" : `${this.round.round} ${this.round.state}`;
      const isFresh = opened || (inside && phase !== this.phase); // Enter is the main button's then
      if (this.typed !== null) {
        if (lost) this.node.focus({ preventScroll: true });
      } else if (opened ? !typing : isFresh || lost) (isFresh ? main : same || main).focus({ preventScroll: true });
      this.phase = phase;
      this.tick();
      this.fit();
    } else if (inside) {
      if (this.was?.isConnected) this.was.focus({ preventScroll: true });
    }
    return asking;
  }
  button(what, words, keys = "", className = "") {
    const button = make("button", { type: "button", className, textContent: words, data: { do: what } });
    if (keys) {
      button.title = `${words} (${keys})`;
      button.setAttribute("aria-keyshortcuts", keys.replace("PgDn", "PageDown"));
    }
    return button;
  }
  pressed(what, words, on) {
    const button = this.button(what, words);
    button.ariaPressed = String(on);
    return button;
  }
  group(label, ...inside) {
    const box = make("div", { className: "group", ariaLabel: label }, make("span", { textContent: label }), ...inside);
    box.setAttribute("role", "group");
    return box;
  }
  head(words, closes = true) {
    const close = make("button", { type: "button", className: "leave", data: { do: "close" }, innerHTML:
      icon("M4 4l8 8M12 4l-8 8"), ariaLabel: this.labels.close, title: `${this.labels.close} (Esc)` });
    close.hidden = !closes;
    return make("header", {}, make("h2", { textContent: words }), make("b", { className: "time" }), close);
  }
  draftParts() {
    const { labels, draft } = this, { question, kinds, why } = draft;
    const list = [...kinds.map(([kind, name]) => this.pressed(`kind:${kind}`, name, question?.kind === kind)),
      this.pressed("kind:own", labels.own, !question)];
    const times = COUNTDOWNS.map((seconds) => this.pressed(`time:${seconds}`,
      seconds ? filled(labels.seconds, { number: seconds }) : labels.no_time, this.seconds === seconds));
    const parts = question ? [make("p", { className: "asked" }, ...inLanguage(question.say)), this.offered(question)]
      : [why && this.status(why), this.own.node];
    return [this.head(labels.ask_class), this.group(labels.kind, ...list), ...parts.filter(Boolean),
      this.group(labels.countdown, ...times),
      draft.error && this.status(draft.error, "told wrong"),
      make("footer", {}, this.button("send", labels.ask_now, "Enter, PgDn", "main"))];
  }
  offered({ choices }) {
    if (!choices) return null;
    return make("p", { className: "offered" }, ...choices.map(({ id }) =>
      make("span", { className: "row" }, ...answerNodes(this.draft?.question ?? this.round.question, id))));
  }
  get own() {
    this.written ??= new OwnQuestion(this.strip.room.code);
    this.written.name(this.labels);
    return this.written;
  }
  status(words, className = "told") {
    const node = make("p", { className, textContent: words });
    node.setAttribute("role", "status");
    return node;
  }
  roundParts(round) {
    const { labels } = this, { state, question } = round, shown = state !== "open";
    const say = make("p", { className: "asked" }, ...inLanguage(question.say));
    const counted = make("p", { className: "counted" }, make("b"), make("span", { className: "meter" }, make("i")));
    const revealed = state === "revealed";
    const own = this.strip.presenter.isOn(); // the lecturer's own screen has the bars, with the answer, at once
    const solution = own || revealed ? { ...question, ...round } : null;
    const bars = question.input === "free" ? (own || shown) && this.inWords(round, own, revealed)
      : (own || shown) && (round.teams?.length ? barsTable(labels, question, round.teams, solution, true)
        : barsTable(labels, question, this.rounds(round), solution));
    const buttons = [
      !shown && this.button("show", labels.show, "S, PgDn", "main"),
      state === "shown" && this.button("reveal", labels.reveal, "E, PgDn", "main"),
      !shown && this.button("reveal", labels.reveal, "E"),
      shown && this.button("again", labels.again, "G"),
      revealed && this.button("go", labels.go_on, "PgDn", "main"),
      !revealed && this.button("drop", labels.drop),
    ];
    const { vote: number } = round, title = number > 1 ? filled(labels.next_vote, { number }) : labels.question;
    return [this.head(title, revealed), say,
      !shown && this.offered(question), counted, bars || null, make("footer", {}, ...buttons.filter(Boolean))];
  }
  inWords(round, own, revealed) { // on the lecturer's own screen all, to pick from; on the wall the picked ones
    const { labels } = this, { bars = [], picked = [], others, question } = round;
    if (!own) return wordsTable(labels, question, round, revealed);
    const rows = bars.map(({ answer, count, verdict }) => {
      const box = make("input", { type: "checkbox", checked: picked.includes(answer), data: { key: answer } });
      box.toggleAttribute("checked", picked.includes(answer));
      return make("li", { data: { key: answer } }, make("label", { className: verdict ?? "" }, box,
        make("bdi", { textContent: answer }), make("span", { className: "soft", textContent: ` × ${count}` }),
        ...(verdict ? [make("b", { className: "verdict", textContent: labels[`mark_${verdict}`] })] : [])));
    });
    return make("div", { className: "words" }, make("p", { className: "soft", textContent: labels.pick_hint }),
      make("ul", {}, ...rows), ...(others?.count
        ? [make("p", { className: "soft", textContent: `${labels.others}: ${others.count}` })] : []));
  }
  pick(box) { // the room says it to all of the lecturer's screens
    const { round } = this, { picked = [] } = round;
    const now = picked.filter((one) => one !== box.dataset.key);
    if (box.checked) now.push(box.dataset.key);
    if (now.length > MOST_PICKED) box.checked = false;
    else {
      round.picked = now;
      this.strip.post("pick", { round: round.round, picked: now });
    }
  }
  lookUp() { // from typing: the keys are the question's from now on
    const main = this.node.querySelector("button.main");
    this.typed = null;
    if (document.activeElement === this.node) main?.focus({ preventScroll: true });
  }
  rounds(round) { // the first vote and this one
    const before = round.first !== round.round && this.strip.votes.get(round.first);
    return before ? [before, round] : [round];
  }
  tick() {
    if (this.typed !== null && performance.now() - this.typed > LOOKED_UP) this.lookUp();
    const { round } = this, find = (selector) => this.node.querySelector(selector);
    const time = find("header .time"), line = find(".counted b");
    if (!this.isLive() || this.draft || !time) return;
    drawTime(time, round);
    if (!line) return;
    const { answered = 0 } = round, here = this.strip.room.state.people?.here;
    const counted = round.state === "open" ? here ?? round.of : round.of ?? here; // some came after the last answer
    const of = Math.max(counted ?? 0, answered);
    const words = filled(this.labels.answered, { number: answered, of });
    if (line.textContent !== words) {
      line.textContent = words;
      this.fit();
    }
    this.node.querySelector(".meter i").style.width = `${of ? 100 * answered / of : 0}%`;
  }

  // --- its methods for the strip
  open(draft) {
    this.draft = draft;
    this.strip.update();
  }
  closeDraft() { // a question was asked, on whatever device: one's own text is kept
    const { draft } = this, theirs = !draft?.sent && !this.sending;
    if (theirs && this.written?.node.contains(document.activeElement)) this.typed = performance.now();
    this.forget();
    this.draft = null;
    this.strip.update(); // the focus goes on to the round while the boxes are there
    if (draft?.sent && !draft.question) this.own.empty();
  }
  leave() { // the class: neither its draft nor one's own text is for another one
    this.forget();
    this.written?.node.remove();
    [this.draft, this.written] = [null, undefined];
  }
  forget() { // the question in Python's making
    [this.strip.askedNonce, this.strip.pending, this.strip.about] = ["", null, null];
  }
  drop() { // a question about another run: one's own text stays
    this.forget();
    if (this.draft?.question) this.draft = null;
  }
  onClick(button) {
    const [what, which] = (button?.dataset.do ?? "").split(":");
    this.typed = null;
    if (!what) return undefined;
    if (what === "kind" && which === "own") this.write();
    else if (what === "kind") this.strip.draft(which);
    else if (what === "time") this.seconds = Number(which);
    else return this.act(what);
    return this.strip.update();
  }
  write() { // a question of one's own; none still in Python's making takes its place
    this.forget();
    this.open({ ...this.draft, question: null, error: "", why: "" }); // nobody has to be told why
    this.own.say.focus({ preventScroll: true });
  }
  onKeyInside(event) {
    if (isComposing(event)) return;
    if (this.typed !== null) { // no command
      this.typed = performance.now();
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === "Escape" && (this.draft || this.round?.state === "revealed")) {
      this.act("close");
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter" && this.draft && event.target.matches("input")) {
      this.act("send");
      event.preventDefault();
    }
  }
  onKey(key) { // on the page; whether it was one of the wall's
    const what = { s: "show", e: "reveal", g: "again", PageDown: this.following() }[key];
    if (!this.isOpen() || !what) return false;
    if (this.node.querySelector(`[data-do="${what}"]`)) this.act(what);
    return true; // while something is asked, its letters do nothing else
  }
  following() { // a clicker's way through a question
    if (this.draft) return "send";
    return { open: "show", shown: "reveal", revealed: "go" }[this.round?.state];
  }
  act(what) {
    const { round } = this;
    if (what === "close" || what === "go") {
      if (!this.draft && round) {
        this.strip.room.put = round.round;
        this.strip.post("put", { round: round.round });
      }
      this.draft = null;
    } else if (what === "send") this.ask();
    else if (what === "reveal") this.strip.reveal(round);
    else if (round) {
      this.strip.post(what, { round: round.round });
    }
    this.strip.update();
    if (what === "send") this.node.querySelector(".told.wrong")?.scrollIntoView({ block: "nearest" });
  }
  async ask() { // it stays in place, and hides the next step, until the room confirms the question
    const { draft, seconds } = this, question = draft.question ?? this.own.question(this.labels);
    const nowhere = question.parts && !this.strip.room.place; // no tokenizer would grade the words
    draft.error = question.error ?? (nowhere ? this.labels.error_place : "");
    if (draft.error || this.sending || draft.sent) return;
    const { step, ...sent } = question;
    this.sending = true;
    if (step !== undefined) await this.strip.goTo(step);
    const response = await this.strip.post("ask", { question: seconds ? { ...sent, seconds } : sent });
    this.sending = false;
    if (!response) return;
    draft.sent = true;
    if (this.draft !== draft && !draft.question) this.own.empty();
  }
  close() {
    this.sizes.disconnect();
    this.node.remove();
  }
}
