// A student's question: made for one thumb on a small phone. Candidates are buttons, numbers have a keypad, a word is
// cut between its letters. The card leaves the page behind it to be looked at: it can be put aside and taken up again.

const DIGITS = ["7", "8", "9", "4", "5", "6", "1", "2", "3", ".", "0", "/"];
const WRITTEN = "tokensteps.answer"; // in the tab's storage: the answer in the making, also after a reload
const MOST_RIGHT = 4; // right answers shown, one's own among them

class Card {
  draft = ""; // the answer in the making
  name = ""; // the nickname in the making
  tapped = null; // {room, round, answer}: the last answer here
  unsent = null; // the same, for want of a connection
  late = null; // the same, refused: answers were closed
  folded = false;

  constructor(strip) {
    this.strip = strip;
    this.node = make("section", { className: "ts-class-card", hidden: true });
    this.node.setAttribute("role", "region");
    document.body.append(this.node);
    this.live = make("p", { className: "unseen" });
    this.live.setAttribute("aria-live", "assertive");
    this.live.dataset.key = "live";
    this.node.addEventListener("click", ({ target }) => this.onClick(target.closest("button")));
    this.node.addEventListener("input", ({ target }) => this.onInput(target));
    this.node.addEventListener("keydown", (event) => this.onKeyInside(event));
  }
  get labels() {
    return this.strip.labels;
  }
  get round() {
    return this.strip.room.state?.round;
  }
  get mine() { // a new connection's first state may be older than the last tap here
    return this.isOfRound(this.tapped) ? this.tapped.answer : this.round.mine;
  }
  get isUnsent() { // whether the answer marked here waits for a connection
    return this.isOfRound(this.unsent);
  }
  get isLate() { // whether the last answer here hasn't come in time
    const last = [this.unsent, this.late].find((one) => this.isOfRound(one));
    return this.round.state !== "open" && Boolean(last) && last.answer !== this.round.mine;
  }
  isOfRound(tapped) {
    return tapped?.room === this.strip.room && tapped.round === this.round?.round;
  }
  asksName() { // once, where the lecturer asks for it, and while nothing else is asked
    const { room } = this.strip, { nicknames, nickname } = room.state ?? {}, { round } = this;
    return nicknames && !nickname && !saved.get(room.code).unnamed && (!round || room.put === round.round);
  }
  update() {
    const { round, strip: { room } } = this, now = this.asksName() ? "name" : round?.round;
    const isSame = now === this.shown && room === this.room;
    if (now === "name" && isSame && this.node.ariaLabel === this.labels.nickname) return; // somebody is typing
    if (!isSame) {
      [this.shown, this.room, this.folded, this.error] = [now, room, false, ""];
      this.draft = this.written() ?? round?.mine ?? "";
      if (round && round.state === "open") this.announce();
    }
    this.node.hidden = !now || room.put === now || !room.state || room.state.ended || Boolean(room.refused);
    if (this.node.hidden) return;
    if (now === "name") {
      this.drawName();
      return;
    }
    this.node.ariaLabel = this.labels.question;
    put(this.node, [...this.parts(round).filter(Boolean), this.live]);
    const typed = this.node.querySelector(".number, .words");
    if (typed && typed.value !== this.draft) typed.value = this.draft; // by the keypad
    this.tick();
  }
  drawName() {
    const { labels } = this, heading = make("b", { textContent: labels.nickname });
    const box = make("input", { maxLength: 24, autocomplete: "off", ariaLabel: labels.nickname,
      value: this.name, data: { key: "name" } });
    this.node.ariaLabel = labels.nickname;
    this.node.replaceChildren(make("header", {}, heading),
      make("p", { className: "soft", textContent: labels.nickname_hint }), box,
      this.button("named", labels.send, { className: "main wide" }),
      this.button("unnamed", labels.unnamed, { className: "wide" }), this.live);
    this.live.textContent = `${labels.nickname}: ${labels.nickname_hint}`;
  }
  async sendName() {
    const name = this.node.querySelector("input").value.trim();
    try {
      if (name) await this.strip.room.name(name);
      else saved.set(this.strip.room.code, { unnamed: true });
    } catch ({ kind }) {
      this.strip.say(this.labels[`error_${kind}`] ?? this.labels.error_store);
    }
    this.update();
  }
  announce() { // after the page has settled, so that it is heard
    const words = `${this.labels.question}: ${this.sentence().textContent}`;
    setTimeout(() => { this.live.textContent = words; }, 300);
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(60);
  }
  sentence() {
    return make("p", { className: "asked" }, ...inLanguage(this.round.question.say));
  }
  button(key, words, options = {}) {
    return make("button", { type: "button", textContent: words, ...options, data: { key } });
  }
  parts(round) {
    const open = round.state === "open" && !isOver(round), { labels } = this;
    const fold = this.button("fold", this.folded ? labels.answer_it : labels.look, { className: "fold" });
    fold.ariaExpanded = String(!this.folded);
    const time = make("b", { className: "time" }), revealed = round.state === "revealed";
    const head = make("header", {}, make("b", { textContent: labels.question }), time,
      revealed ? this.button("done", labels.done, { className: "fold" }) : fold);
    if (this.folded) return [head];
    const answer = revealed ? this.outcome(round) : open ? this.form(round)
      : [this.status(isOver(round) ? labels.error_late : labels.closed)];
    return [head, this.sentence(), this.isLate && this.status(labels.too_late, "told wrong"), ...answer];
  }
  status(words, className = "told") {
    const node = make("p", { className, textContent: words });
    node.setAttribute("role", "status");
    return node;
  }
  form(round) {
    const { question } = round, { mine, labels } = this;
    // There from the start, so that nothing moves under a thumb during a double tap.
    const unsent = this.isUnsent && (this.strip.room.isAway() ? labels.away : labels.error_offline);
    const error = this.error || unsent;
    const state = error ? this.status(error, "told state wrong")
      : this.status(mine === null ? labels.can_change : labels.sent, `told state ${mine === null ? "yet" : ""}`);
    if (question.input === "choices") return [this.choices(question, mine), state];
    const box = { number: () => this.keypad(), free: () => this.words(question) }[question.input]?.()
      ?? this.cutter(question);
    const words = mine !== null && mine === this.answer() && !this.isUnsent ? labels.sent_short : labels.send;
    return [box, this.button("send", words, { className: "main wide" }), state];
  }
  choices({ choices }, mine) {
    const box = make("div", { className: "choices", ariaLabel: this.labels.choices });
    box.setAttribute("role", "group");
    for (const { id } of choices) {
      const button = make("button", { type: "button", ariaPressed: String(mine === id), data: { key: `=${id}` } },
        ...answerNodes(this.round.question, id));
      box.append(button);
    }
    return box;
  }
  keypad() {
    const shown = make("input", { className: "number", ariaLabel: this.labels.number, autocomplete: "off",
      maxLength: 40, data: { key: "number" } });
    shown.inputMode = "none"; // the keypad is ours; a keyboard types all the same
    const keys = DIGITS.map((digit) => this.button(`#${digit}`, digit));
    const back = this.button("back", "⌫", { ariaLabel: this.labels.erase });
    return make("div", { className: "keypad" }, make("div", { className: "line" }, shown, back),
      make("div", { className: "keys" }, ...keys));
  }
  words({ parts }) { // in one's own; a word to be found is one line
    return make(parts ? "input" : "textarea", { className: "words", ariaLabel: this.labels.your_words, rows: 3,
      maxLength: parts ? 40 : 300, autocomplete: "off", autocapitalize: parts ? "none" : "sentences",
      spellcheck: !parts, data: { key: "words" } });
  }
  cutter({ word }) { // a cut between two letters comes and goes
    const box = make("div", { className: "cutter", ariaLabel: this.labels.cut_hint });
    box.setAttribute("role", "group");
    const cuts = this.cuts(), list = letters(word ?? "");
    list.forEach((letter, index) => {
      box.append(make("bdi", { textContent: letter }));
      if (index === list.length - 1) return;
      const name = filled(this.labels.cut, { left: letter, right: list[index + 1] });
      const pressed = cuts.includes(index);
      box.append(this.button(`/${index}`, "", { className: "cut", ariaLabel: name, ariaPressed: String(pressed) }));
    });
    return make("div", {}, make("p", { className: "soft", textContent: this.labels.cut_hint }), box);
  }
  cuts() { // the numbers of the letters before the cuts
    const ends = [];
    for (const piece of this.draft.split(" ").slice(0, -1)) ends.push((ends.at(-1) ?? -1) + letters(piece).length);
    return ends;
  }
  toggleCut(index) {
    const list = letters(this.round.question.word ?? ""), cuts = this.cuts();
    const now = cuts.includes(index) ? cuts.filter((one) => one !== index) : [...cuts, index];
    this.draft = list.map((letter, index) => letter + (now.includes(index) ? " " : "")).join("");
  }
  outcome({ question, key: keys = [], tied = [], mine, right }) {
    // When the engine grades words, and for a number that is near enough, there is no list of all right ones.
    const key = right === true && !keys.includes(mine) ? [mine, ...keys] : keys;
    const graded = key.length || (question.parts && right != null);
    const { labels } = this, verdict = mine === null ? "" : verdictOf({ key, tied }, mine);
    const message = !graded ? labels.asked_opinion : mine === null ? labels.no_answer
      : verdict === "right" ? labels.you_right : verdict === "tied" ? labels.you_tied : labels.you_wrong;
    const all = question.input === "number" ? keys.slice(0, 1) : key; // the others are the same, rounded
    const first = [...all.filter((one) => one === mine), ...all.filter((one) => one !== mine)].slice(0, MOST_RIGHT);
    const shown = first.map((one) => make("span", { className: "row" }, ...answerNodes(question, one)));
    if (all.length > MOST_RIGHT) shown.push(make("span", { className: "soft", textContent: labels.and_others }));
    return [this.status(message, `told ${verdict || (mine === null || !graded ? "" : "wrong")}`),
      mine !== null && make("p", {}, `${labels.your_answer} `, ...answerNodes(question, mine)),
      all.length > 0 && !question.parts
        && make("p", {}, `${labels[all.length > 1 ? "right_answers" : "right_answer"]} `, ...shown)];
  }

  // --- taps and typing
  written() { // and not sent before the page was loaded again
    try {
      const { code, round, draft } = JSON.parse(sessionStorage.getItem(WRITTEN)) ?? {};
      return code === this.strip.room.code && round === this.round?.round ? `${draft}` : undefined;
    } catch {
      return undefined;
    }
  }
  keep() {
    const { strip: { room: { code } }, round: { round }, draft } = this;
    try { sessionStorage.setItem(WRITTEN, JSON.stringify({ code, round, draft })); } catch { /* only until a reload */ }
  }
  onInput({ value, dataset: { key } }) {
    if (key === "name") this.name = value;
    if (key !== "number" && key !== "words") return;
    this.draft = value;
    this.keep();
    this.update();
  }
  onKeyInside(event) {
    event.stopPropagation(); // no key of the page's
    if (event.key === "Enter" && !isComposing(event) && event.target.matches("input")) {
      this.onKey(event.target.dataset.key === "name" ? "named" : "send");
    }
  }
  onClick(button) {
    if (button?.dataset.key) this.onKey(button.dataset.key);
  }
  onKey(key) {
    this.error = "";
    if (key === "fold") this.folded = !this.folded;
    else if (key === "done") this.strip.room.putAside(this.shown);
    else if (key === "named") return this.sendName();
    else if (key === "unnamed") saved.set(this.strip.room.code, { unnamed: true });
    else if (key === "back") this.draft = this.draft.slice(0, -1);
    else if (key === "send") return this.send(this.answer());
    else if (key[0] === "=") return this.send(key.slice(1));
    else if (key[0] === "#") this.draft = (this.draft + key.slice(1)).slice(0, 40);
    else if (key[0] === "/") this.toggleCut(Number(key.slice(1)));
    if (key === "back" || "#/".includes(key[0])) this.keep();
    this.update();
  }
  answer() { // in the one form for counting answers; null if it can't be read
    const { input, word } = this.round.question;
    if (input === "free") return this.draft.trim() || null;
    return input === "number" ? canonicalNumber(this.draft) : this.draft || word || null;
  }
  async send(answer) {
    const { labels } = this, { room } = this.strip, { question, round } = this.round;
    if (answer === null) this.error = question.input === "free" ? labels.no_words : labels.unread;
    else {
      const tapped = this.tapped = { room, round, answer };
      this.unsent = null;
      this.update();
      try {
        await room.postInTurn("answer", { round, answer });
        if (room.state.round?.round === round) room.state.round.mine = answer;
      } catch ({ kind }) {
        if (this.tapped !== tapped || this.round?.round !== round) return; // something else was tapped or asked since
        if (kind === "offline") this.unsent = tapped; // the choice stays marked
        else [this.tapped, this.error] = [null, labels[`error_${kind}`] ?? labels.error_store];
        if (["late", "shown"].includes(kind)) this.late = tapped;
      }
    }
    this.update();
  }
  sendAgain() { // the connection is back
    if (!this.isUnsent || this.round.state !== "open") return;
    this.error = "";
    this.send(this.unsent.answer);
  }
  tick() {
    const over = isOver(this.round);
    drawTime(this.node.querySelector(".time"), this.round);
    if (over === this.over) return;
    this.over = over;
    this.update(); // its buttons would do nothing any more
  }
  close() {
    this.node.remove();
  }
}
const isOver = (round) => Boolean(round?.ends) && round.state === "open" && Date.now() >= round.ends;
function drawTime(node, round) { // a countdown's
  const { ends, state } = round ?? {}, left = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
  if (!node) return;
  node.classList.toggle("over", isOver(round));
  node.textContent = ends && state === "open" ? clock(left) : "";
}
