// A class, live: a strip at the foot of every page. The lecturer's shows who is there, and asks; each student's page
// goes along with the lecturer's until its reader steps alone, and comes back at a click. The look is page/class.css;
// the room is kept by the tab and outlives a change of page. Every word comes with the data.

const CLASS = "data-class", ASKED = "data-class-asked", AHEAD = "data-class-ahead";
const KEPT_END = "data-class-end"; // at the last of the steps within the class's bounds
const PROJECTED = "data-projector", HEIGHT = "--ts-class";
const TRIES = 2; // more ones for a question, and to go where the class is, before this device says where it is itself
const SOON = 150; // ms until a live region may speak
const ONCE_MORE = 4000; // ms until Python is asked again for a question or the presenter view's words
const LECTURER = [ // a button's action, and its key
  ["back", "", "main"], ["ask", "A", "main"], ["prepared", "Q", ""], ["give", "G", ""], ["progress", "", ""],
  ["blank", "K", ""], ["call", "F", ""], ["pace", "", ""], ["lost", "", ""], ["code", "J", ""], ["present", "", ""],
  ["end", "", "leave"],
];
const STUDENT = [["back", "", "main"], ["unsure", "", ""], ["leave", "", "leave"]];

class ClassStrip extends Component {
  page = document.documentElement;
  votes; // a round's number → the round, for the vote beside another one
  known; // a switch's name → its position in the room, while messages about it are under way
  sent; // the exercises whose answers the room has
  labels = {};
  pending = null; // the step of a question under construction,
  about = null; // and the place of the latest one
  turned = -Infinity; // when the page was asked for another place, until that place is drawn
  acted = -Infinity; // when a hand last did something, on any page
  said = ""; // for a moment, in the strip's place

  constructor(root) {
    super(root, "ts-class", "");
    this.box.setAttribute("role", "region");
    document.body.append(this.box); // not beside its root: the sidebar may be hidden
    this.live = make("p", { className: "unseen" });
    this.live.setAttribute("aria-live", "polite");
    this.blank = make("div", { className: "ts-class-blank", popover: "manual" }, make("p"));
    this.blank.setAttribute("role", "status");
    document.body.append(this.live, this.blank);
    const { signal } = this.gone;
    this.box.addEventListener("click", ({ target }) => this.onClick(target.closest("button")));
    addEventListener("keydown", (event) => this.onKey(event), { signal });
    document.addEventListener("keydown", (event) => this.onEarlyKey(event), { signal, capture: true });
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, ({ isTrusted }) => {
        if (isTrusted) this.acted = performance.now();
      }, { signal, capture: true });
    }
    onHeld((event) => this.takesHeld(event), () => this.ask(), signal);
    for (const kind of ["popstate", "ts-led"]) {
      addEventListener(kind, () => this.onTurn(), { signal });
    }
    for (const kind of ["step", "stage", "shown"]) {
      document.addEventListener(`tokensteps:${kind}`, () => this.onPage(kind), { signal });
    }
    document.addEventListener("tokensteps:deck", () => this.onDeck(), { signal });
    addEventListener("storage", ({ key }) => { // in another tab
      if (key === DECK) this.onDeck();
      if (key === STORED) this.room?.hearName();
    }, { signal });
    document.addEventListener("tokensteps:own", () => { if (this.joining) this.joining.own = stepNow(); }, { signal });
    globalThis.navigation?.addEventListener("navigate", (event) => replaceIfOnly(["class"], event), { signal });
    this.sizes = new ResizeObserver(() => this.takeRoom());
    this.sizes.observe(this.box);
    this.ticks = setInterval(() => this.tick(), 250);
    this.page.toggleAttribute(CLASS, true);
  }
  takeRoom() {
    this.page.style.setProperty(HEIGHT, `${this.box.offsetHeight}px`);
    dispatchEvent(new Event("resize")); // for parts that fit themselves into the window
  }
  owns(event) {
    const parts = [this.box, this.card?.node, this.blank];
    return event.composedPath().some((node) => parts.includes(node));
  }

  // --- the room
  connect(next, send) {
    this.send = send;
    const other = next.code !== this.data?.code, words = JSON.stringify(next.labels) !== JSON.stringify(this.labels);
    [this.data, this.labels] = [next, next.labels];
    if (other) this.enter(next.code);
    if (other || words) this.build();
    if (other && this.room.comes && this.room.state) this.onRoom("state"); // it was there before this strip
  }
  enter(code) {
    this.leaveRoom?.();
    // What was heard and sent in the last class counts in no other.
    [this.votes, this.known, this.sent] = [new Map(), {}, new Set()];
    [this.saidLost, this.coming, this.joining, this.deckWas, this.reported] = [null, null, null, undefined, ""];
    this.wall?.leave();
    if (this.room) this.judged = JSON.stringify(document[SHOWN]?.judged ?? null); // Python's verdicts are about it
    for (const name of ["shown", "deck", "unsay"]) this.cancel(name);
    this.said = "";
    const room = this.room = Room.at(code), listener = ({ detail }) => this.onRoom(detail);
    clearTimeout(room.leaving);
    room.strips++;
    room.addEventListener("change", listener);
    this.leaveRoom = () => {
      room.strips--;
      room.removeEventListener("change", listener);
    };
  }
  onRoom(kind) {
    const { room } = this;
    if (kind === "state" || kind === "refused" || kind === "offered") this.build();
    if (kind === "state" && room.isLecturer()) {
      for (const round of room.state.rounds ?? []) this.votes.set(round.round, { ...round, ...round.asked });
      this.reported = "";
      this.shareDeck();
      if (room.presents || this.presenter.was()) this.presenter.turn(true);
      const walk = room.presents ? "" : room.state.plan?.walk; // the presenter view has it anyway
      room.presents = false;
      if (room.comes && room.place) this.join(planHere() ? "" : walk);
      room.comes = false;
      this.report();
    }
    if (kind === "state" && this.data.typed && matchMedia("(pointer: coarse)").matches) {
      // The typed code's keyboard covers the page. A code being typed stays: this class is a link's, or an earlier one.
      document.querySelector('[class*="-join"] input:focus:placeholder-shown')?.blur();
    }
    if (kind === "state" && !room.isLecturer() && room.state.follows) this.follower.back();
    if (["call", "pace"].includes(kind) && room.state.all) this.follower?.back(true);
    if (kind === "place") this.onPlace();
    if (kind === "plan") this.joinPlan();
    if (kind === "deck") this.shareDeck();
    if (room.isLecturer()) this.judge();
    if (this.wall && kind === "reveal" && room.state.round?.question.kind !== "own") { // the plan's note tells it, too
      document.dispatchEvent(new Event("tokensteps:revealed"));
    }
    if (kind === "give" && room.state.give?.questions) this.follower?.back();
    if (kind === "end") this.say(this.labels.ended);
    if (kind === "back" && !room.isLecturer() && room.state && !room.state.ended) this.setMode(room.state.follows);
    if (kind === "back") this.card?.sendAgain();
    if (this.wall && ["reveal", "shown", "people", "tally"].includes(kind)) {
      const { round } = room.state;
      if (round) this.votes.set(round.round, { ...round }); // the vote may be taken again on another device
      this.wall.tick();
    }
    if (this.wall && (kind === "ask" || (kind === "state" && this.wall.draft?.sent))) this.wall.closeDraft();
    this.update();
  }
  onPlace() {
    const { place, overtakes } = this.room;
    const reads = isAside() && !this.presenter?.isOn(); // under the presenter view, nobody reads a page
    const leavesHere = !this.joining && (reads || (!here() && performance.now() - this.acted < PATIENCE));
    if (this.isElsewhere() && leavesHere) this.reported = ""; // the next page of this device leads
    else if (this.isElsewhere()) this.join(this.walkHere());
    // An older place than this device's present one has arrived last.
    if (overtakes && !(isSame(here(), place) && stepNow() === place.step)) this.reported = "";
    this.follower?.follow();
    this.arrive();
  }
  isElsewhere() { // whether another of the lecturer's devices has led the class, and this one isn't about to
    const { room } = this;
    return room.isLecturer() && Boolean(room.place) && room.place.by !== room.by && !this.coming;
  }
  onDeck() { // it was edited in this browser
    if (this.room?.isLecturer() && this.room.state && !this.room.state.ended) this.shareDeck(true);
  }
  shareDeck(edited = false) { // all of the lecturer's devices get the questions prepared on one of them
    const { state } = this.room, stringify = JSON.stringify;
    const own = stringify(deck.all()), theirs = stringify(state.deck.map(tidyQuestion));
    if (edited ? own !== theirs : !["[]", this.deckWas].includes(own) && theirs === "[]") {
      this.room.post("deck", { questions: deck.shared() }).catch(({ kind }) => {
        if (edited && PASSING.includes(kind)) this.later("deck", ONCE_MORE, () => this.onDeck());
      });
    } else if (own !== theirs && ["[]", this.deckWas].includes(own)) { // it was changed on another one
      deck.keep(state.deck.map(tidyQuestion));
    }
    this.deckWas = theirs;
  }
  async post(what, body, undo = () => {}) {
    try {
      return await this.room.postInTurn(what, body);
    } catch ({ kind }) {
      undo();
      this.say(this.labels[`error_${kind}`] ?? this.labels.error_store);
      return null;
    }
  }
  async turn(what, name, body, on = !this.room.state[name]) { // at once: it may be turned again before the room hears
    const { state } = this.room, all = this.known, known = all[name] ??= { on: state[name], waiting: 0 };
    state[name] = on;
    known.waiting++;
    this.update();
    const arrived = await this.post(what, { [body]: on }, () => {
      state[name] = known.on;
      this.update();
    });
    if (arrived) known.on = on;
    known.waiting--;
    if (!known.waiting) delete all[name];
  }

  // --- drawing
  build() { // once the role is known, and in another language
    const { room, labels } = this, role = room.role ?? "student", lecturer = role === "lecturer";
    if (lecturer || room.offered) this.panel ??= new Panel(this);
    if (lecturer && !this.wall) [this.wall, this.presenter] = [new Wall(this), new Presenter(this)];
    if (room.role === "student" && !this.card) [this.card, this.follower] = [new Card(this), new Follower(this)];
    if (lecturer) { // of another class, it may have been a student's
      for (const part of [this.card, this.follower]) part?.close();
      [this.card, this.follower] = [];
    }
    this.box.className = `ts-class ${role}`;
    this.box.ariaLabel = filled(labels.class_code, { code: room.code });
    const which = make("p", { className: "which" }, make("b", { textContent: this.box.ariaLabel }));
    const buttons = (lecturer ? LECTURER : STUDENT).map(([what, key, className]) => {
      const button = make("button", { type: "button", className, data: { do: what } });
      if (className === "leave") button.innerHTML = icon("M4 4l8 8M12 4l-8 8");
      if (key) button.setAttribute("aria-keyshortcuts", key);
      return button;
    });
    put(this.box, [which, make("p", { className: "team-told" }),
      make("p", { className: "stop" }), ...buttons]);
    if (room.fresh && room.state) { // opened here, and heard of
      room.fresh = false;
      this.panel.turn("code");
    }
    this.update();
    if (room.offered && this.panel.kind !== "offered") this.panel.turn("offered");
  }
  name(what, words, { pressed, hidden = false } = {}) {
    const button = this.part(`[data-do="${what}"]`);
    if (!button) return;
    const key = button.getAttribute("aria-keyshortcuts");
    if (button.classList.contains("leave")) button.ariaLabel = words;
    else if (button.textContent !== words) button.textContent = words;
    button.title = key ? `${words} (${key})` : words;
    button.hidden = hidden;
    if (pressed !== undefined) button.ariaPressed = String(pressed);
  }
  update() {
    const { room } = this, { state } = room;
    if (!this.box.firstChild) return;
    if (!state || state.ended || room.refused) this.drawAway();
    else if (room.isLecturer()) this.drawLecturer(state);
    else this.drawStudent(state);
    if (this.said) this.setStop(this.said);
    if (this.isCutOff()) this.setStop(this.labels.away);
    this.box.classList.toggle("away", this.isCutOff());
    this.hold();
    const dark = !room.isLecturer() && Boolean(state?.blank) && !state.ended && !room.refused;
    this.blank.firstChild.textContent = this.labels.blanked;
    if (dark !== this.blank.matches(":popover-open")) this.blank.togglePopover(dark);
  }
  drawAway() { // no room, no longer, or not yet
    const { room, labels } = this, over = room.state?.ended;
    const why = over ? "ended" : room.refused ? `error_${room.refused}` : "connecting";
    this.setStop(labels[why] ?? labels.error_store);
    this.box.classList.remove("apart"); // a phone has room for the reason
    for (const [what] of [...LECTURER, ...STUDENT]) this.name(what, labels[what] ?? what, { hidden: true });
    this.name("leave", labels.leave);
    this.name("end", labels.leave);
    this.wall?.node.toggleAttribute("hidden", true);
    if (this.card) this.card.node.hidden = true;
  }
  isCutOff() { // from an existing class
    const { room } = this;
    return Boolean(room.state) && !room.state.ended && !room.refused && room.isAway();
  }
  setStop(words) {
    const node = this.part(".stop");
    if (node.textContent !== words) node.textContent = words;
  }
  lostNow() {
    return [...this.room.lost.values()].reduce((sum, { count }) => sum + count, 0);
  }
  drawLecturer(state) {
    const { labels } = this, tasks = givenHere(), lost = this.lostNow();
    this.setStop(this.peopleTold());
    this.name("back", labels.back, { hidden: !this.room.place || !isAside() });
    this.name("ask", labels.ask);
    const prepared = filled(labels.prepared, { number: deck.left(state).length });
    this.name("prepared", prepared, { hidden: !deck.of(state).length });
    this.name("give", labels.give, { hidden: !tasks });
    this.name("progress", labels.progress, { hidden: !state.give, pressed: this.panel.kind === "progress" });
    this.name("blank", labels.blank, { pressed: Boolean(state.blank) });
    this.name("call", state.all ? labels.let_go : labels.call_back);
    const bounds = this.paceTold(labels.kept);
    this.name("pace", bounds || labels.pace, { hidden: !stageBox(), pressed: Boolean(bounds) });
    this.name("lost", filled(labels.lost_number, { number: lost }), { pressed: this.panel.kind === "lost" });
    this.name("code", labels.code, { pressed: this.panel.kind === "code" });
    this.name("present", labels.presenter, { pressed: this.presenter.isOn() });
    this.name("end", labels.end);
    this.wall.update();
    this.presenter.update();
    this.panel.refresh();
  }
  drawStudent(state) {
    const { labels } = this, follows = state.follows && this.room.place;
    this.box.classList.toggle("apart", !state.follows);
    this.part(".team-told").replaceChildren(...(state.teams
      ? [teamNode(labels, (state.number - 1) % state.teams)] : []));
    const stop = this.room.place ? labels.apart : labels.waiting;
    this.setStop(follows ? this.paceTold(labels.paced) || labels.following : stop);
    this.name("back", labels.back, { hidden: state.follows || !this.room.place });
    this.noted = this.isNoted();
    this.name("unsure", this.noted ? labels.said_lost : labels.unsure,
      { hidden: !this.room.place, pressed: this.noted });
    this.name("leave", labels.leave);
    this.card.update();
  }
  paceTold(words) {
    const [first, last] = this.room.state.pace ?? [];
    return last === undefined ? "" : filled(words, { first, last });
  }
  stepOfStudent() { // the class's; where it is kept between two steps, the student's own
    const { place, state } = this.room;
    return place && state?.follows && this.follower ? this.follower.target(stepNow()) : place?.step;
  }
  placeKey() {
    return `${this.room.place?.run}.${this.stepOfStudent()}`;
  }
  isNoted() {
    return this.saidLost === this.placeKey();
  }
  peopleTold() {
    const { here: present = 0, follow = 0 } = this.room.state?.people ?? {};
    return `${plural(this.labels, "here", present)} · ${plural(this.labels, "follow", follow)}`;
  }
  lostPlaces() {
    return [...this.room.lost.values()].sort((one, other) => one.run - other.run || one.step - other.step);
  }
  hold() { // while something is asked, nothing on the page leads ahead
    const lecturer = this.room.isLecturer(), step = lecturer ? this.stepOnWall() : this.stepOfClass();
    const asking = step !== undefined, there = Number.isInteger(step);
    const pending = isRunHere(this.about) ? this.pending : null;
    const begins = asking && !this.page.hasAttribute(ASKED);
    this.page.toggleAttribute(ASKED, asking);
    if (begins) dispatchEvent(new Event("resize")); // a projected tab gives way to the stage
    const detail = { steps: this.bounds() };
    stageBox()?.dispatchEvent(new CustomEvent("tokensteps:keep", { detail }));
    this.page.toggleAttribute(KEPT_END, Boolean(detail.steps) && stepNow() >= detail.steps[1]);
    // In Predict, a page ahead of the class has more on it than the stage: the words as they are split there.
    this.page.toggleAttribute(AHEAD, there ? stageEnd() > step : Boolean(detail.beyond));
    this.page.toggleAttribute("data-class-wall", Boolean(this.wall?.isOpen()));
    stageBox()?.toggleAttribute("data-walled", Boolean(this.wall?.isOpen()));
    stageBox()?.dispatchEvent(new CustomEvent("tokensteps:hold", { detail: there ? step : pending }));
  }
  stepOnWall() { // the last step for the lecturer's own stage; undefined without a question about it
    const { state } = this.room, about = this.wall?.draft ? this.wall.draft.question : state?.round?.question;
    if (!this.wall?.isAsking() || !about || about.kind === "own" || state.ended) return undefined;
    if (!isRunHere(this.wall.draft ? this.about : state.round.place)) return undefined; // about another page
    return this.wall.draft?.question?.step ?? state.round?.place?.step ?? stepNow();
  }
  bounds() { // the class's bounds for a student's steps; null for all steps
    const { state, place, refused } = this.room, { pace } = state ?? {};
    if (this.room.isLecturer() || !pace || !place || state.ended || refused) return null;
    if (this.stepOfClass() !== undefined) return null; // the question is about the lecturer's step
    return this.follower.isThere() || isSameRun(here(), place) ? pace : null;
  }
  stepOfClass() { // and a student's; null on another page, where there is no such step
    const { state, place, refused } = this.room, { round } = state ?? {};
    if (!round || round.state === "revealed" || state.ended || refused) return undefined;
    const led = isSame(place, round.place) && this.follower.isThere(), there = led || isSameRun(here(), round.place);
    if (!there) return state.follows ? null : undefined;
    return Math.max(round.place.step, isSameRun(place, round.place) ? place.step : 0);
  }
  say(words) { // in the strip's place for a moment, and aloud
    this.said = words;
    this.setStop(words);
    this.later("say", SOON, () => { this.live.textContent = words; });
    this.later("unsay", 5000, () => {
      this.said = "";
      this.update();
    });
  }
  tick() {
    const { colorScheme } = getComputedStyle(document.querySelector(".stApp") ?? this.page); // need not be the system's
    for (const node of [this.box, this.card, this.wall, this.panel, this.presenter].map((one) => one?.node ?? one)) {
      if (node) node.style.colorScheme = colorScheme;
    }
    if (this.room?.isLecturer()) {
      this.report();
      this.reportPlan();
      this.arrive();
      this.presenter?.update();
    }
    this.room?.look();
    if (this.room && this.isCutOff() !== this.box.classList.contains("away")) this.update(); // Wi-Fi switched off
    else if (this.follower && this.isNoted() !== this.noted) this.update(); // the student has stepped on
    this.follower?.look();
    this.card?.tick();
    this.wall?.tick();
  }

  // --- the lecturer's place, whenever it is another
  async report(leads = false) { // `leads`: even where another device may have led the class on unheard
    const { room } = this, current = here();
    // A plan's activity on Home: there is no place to tell of.
    const went = document[SHOWN]?.went === this.joining?.nonce, { page } = this.joining?.to ?? {};
    if (current && went && (isAside() || (page && page !== current.page))) this.joining = null; // a hand has gone on
    if (current && isAside()) this.giveUp();
    if (!current || isAside() || this.reporting || document.hidden) return;
    if (stageBox()?.matches("[data-awaits], [data-pictured]")) return;
    if (!room.isLecturer() || !room.state || room.state.ended || (room.behind && !leads)) return;
    if (document[SHOWN].stage && !stageBox()) return; // on its way: the last one may have written a step to the address
    if (stageBox() && this.isTurning()) return;
    const place = { ...current, step: stepNow(), tab: tabNow() }, now = JSON.stringify(place);
    const tabbed = place.tab || !room.place?.tab || !isSame(current, room.place); // another page may have no tabs
    if (this.joining && went && tabbed) { // a step taken since it is there counts
      const leads = this.joining.to.leads && !(isSame(place, room.place) && place.step === room.place.step);
      const own = leads || (stageBox() && this.joining.own === place.step);
      [this.joining, this.reported] = [null, own ? "" : now];
    }
    this.giveUp();
    if (now === this.reported || this.joining) return;
    [this.reporting, this.reported] = [true, now]; // it may be led elsewhere before there is an answer
    try {
      await room.post("place", { ...place, by: this.room.by });
    } catch ({ kind }) {
      if (this.reported === now && !FINAL.includes(kind)) this.reported = "";
    }
    this.reporting = false;
    if (this.reported === now) await this.report(); // it may have moved on meanwhile
  }
  isTurning() { // whether the stage may still be the last address's
    if (this.turned > 0 && isDrawing()) this.turned = performance.now();
    return performance.now() - this.turned < PATIENCE;
  }
  giveUp() { // on a way that a hand has left, or that Python never heard of
    if (isDrawing() && this.joining) this.joining.since = performance.now();
    const { to, tries, since, from } = this.joining ?? {};
    const left = from !== location.pathname && to?.page !== here().page;
    const isElsewhere = to?.leads && to.page && !isSame(here(), to);
    if (!to || !(isElsewhere || (isAside() && left) || performance.now() - since > PATIENCE)) return;
    this.joining = null;
    if (tries && !isElsewhere && !left) this.go(to, tries - 1);
  }
  reportPlan() { // whenever this device is at another activity
    const { room } = this, walk = planHere();
    if (!here() || !room.state || room.state.ended || walk === room.walk || (room.walk === undefined && !walk)) return;
    if (room.behind || this.joining) return; // another device may have gone elsewhere meanwhile
    const before = room.walk;
    room.walk = walk;
    if (walk === (room.state.plan?.walk ?? "")) return;
    room.post("plan", { walk, by: room.by }).catch(({ kind }) => {
      if (room.walk === walk && !FINAL.includes(kind)) room.walk = before;
    });
  }
  goPlan(number) { // from the presenter view: this device leads there, as does a device with the plan's walk
    const [lesson] = (this.room.state.plan?.walk ?? "").split("."), stop = `${lesson}.${number}`;
    this.post("plan", { walk: stop, by: this.room.by });
    this.go({ stop, walk: planHere() && stop, leads: true });
  }
  joinPlan() { // another of the lecturer's devices wants to be there
    const stop = this.walkHere();
    if (stop && stop !== planHere()) this.go({ stop, walk: stop, leads: true });
  }
  walkHere() { // the activity that another device has led the class to, for a device with the same plan's walk
    const { plan } = this.room.state, [lesson] = planHere().split(".");
    return lesson && plan && plan.by !== this.room.by && plan.walk.startsWith(`${lesson}.`) ? plan.walk : "";
  }
  join(walk = "") { // where the class is: another of the lecturer's devices has led it there, or this one comes to it
    const { page, query, step } = this.room.place, current = here(), there = isSame(current, this.room.place);
    if (there) this.reported = JSON.stringify({ ...current, step, tab: tabNow() });
    // A page led elsewhere won't stay here; in Predict, the step revealed there isn't in this browser yet.
    if (there && !this.joining && [planHere(), ""].includes(walk) && (!stageBox() || turnTo(step, true))) return;
    this.go({ page, query, step, walk });
  }
  go(to, tries = TRIES) { // until it is there: a request to Python may get lost while Python has something else to do
    if (to.walk) document.dispatchEvent(new Event("tokensteps:walk"));
    this.joining = { to, tries, nonce: `${performance.now()}`, since: performance.now(), from: location.pathname };
    this.lead({ ...to, nonce: this.joining.nonce });
  }
  onTurn() {
    this.turned = performance.now();
    this.cancel("turned");
  }
  onPage(kind) {
    if (kind !== "step" && isDrawn()) this.later("turned", SOON, () => { this.turned = -Infinity; });
    if (here() && !isRunHere(this.about)) this.wall.drop();
    if (this.room?.isLecturer()) this.report();
    if (kind === "shown") this.onShown(document[SHOWN]);
    this.update();
  }
  onShown({ question, judged } = {}) {
    if (question && question.nonce !== this.answeredNonce && question.nonce === this.askedNonce) {
      [this.answeredNonce, this.pending] = [question.nonce, null];
      this.about ??= here();
      const { question: generated, kinds } = question, why = this.labels[kinds.length ? "run_over" : "no_run"];
      this.wall?.open({ question: generated, kinds, why: generated ? "" : why });
    }
    const now = JSON.stringify(judged ?? null);
    if (now !== this.judged) {
      this.judged = now;
      if (judged) this.room?.post("judge", judged).catch(({ kind }) => this.showAgain(kind));
    }
    const { give } = this.room?.state ?? {};
    if (give?.questions && givenHere() && !this.room.isLecturer()) this.reportProgress(give, givenHere().answered);
  }
  reportProgress(give, done) { // each answer once
    const from = new URLSearchParams(give.query), to = new URLSearchParams(here()?.query);
    const start = Number(from.get("seed") ?? givenHere().given.first); // exercises go on from there
    for (const name of ["seed", "rising"]) [from, to].forEach((one) => one.delete(name));
    if (here()?.page !== give.page || from.toString() !== to.toString()) return;
    for (const [number, answer] of Object.entries(done)) {
      const question = Number(number) - start, name = `${give.round}.${question}`;
      if (question < 0 || question >= give.questions || this.sent.has(name)) continue;
      this.sent.add(name);
      this.room.post("answer", { round: give.round, question, answer })
        .catch(({ kind }) => {
          this.sent.delete(name);
          this.showAgain(kind);
        });
    }
  }
  showAgain(kind) { // the verdicts of Python haven't arrived
    if (!PASSING.includes(kind)) return;
    this.later("shown", ONCE_MORE, () => {
      this.judged = "";
      this.onShown(document[SHOWN]);
    });
  }

  // --- questions
  draft(kind = new URLSearchParams(location.search).get("ask") ?? "mixed") { // Python makes it from the trace
    const ask = { nonce: `${performance.now()}`, kind, step: stepNow() };
    [this.askedNonce, this.pending, this.about] = [ask.nonce, ask.step, here()]; // nothing leads ahead meanwhile
    this.sendAsk(ask, TRIES);
    this.hold();
  }
  sendAsk(ask, tries) { // until it is there, each time later: another request ends Python's present work
    this.send("ask", ask);
    this.later("pending", ONCE_MORE * 2 ** (TRIES - tries), () => {
      if (tries && this.askedNonce === ask.nonce && this.pending !== null) this.sendAsk(ask, tries - 1);
      else {
        this.pending = null;
        this.hold();
      }
    });
  }
  askPrepared() { // the next question of the deck, at its page and step
    const { room, wall } = this, next = deck.next(room.state);
    if (wall.isAsking() || this.coming || this.asking) return;
    const question = next ? questionOf(next, this.labels) : { error: this.labels.none_prepared };
    if (question.error) {
      this.say(question.error);
      return;
    }
    const place = next.at && placeOf(next.at), nonce = `${performance.now()}`;
    const leads = place && !isSame(here(), place), step = place ? place.step : null;
    this.coming = { question, id: next.id, nonce: leads ? nonce : "", since: performance.now(), step };
    if (leads) this.lead({ ...place, nonce });
    this.arrive();
  }
  async arrive() { // where the question belongs
    const { coming } = this;
    if (!coming || this.asking) return;
    if (isDrawing()) coming.since = performance.now();
    if (performance.now() - coming.since > PATIENCE) {
      this.coming = null;
      this.say(this.labels.error_store);
      if (this.isElsewhere()) this.join(this.walkHere());
    }
    if (!this.coming) return;
    if (coming.nonce) {
      if (document[SHOWN]?.went !== coming.nonce || !here()) return;
      [coming.nonce, coming.since] = ["", performance.now()]; // the page is there; its step may take as long
    }
    const { question, id, step } = coming, { place } = this.room;
    this.asking = true;
    if (step === null || (isSame(here(), place) && place.step === step)) {
      this.coming = null;
      await this.post("ask", { question, prepared: id });
    } else await this.goTo(step); // the room says when it is there
    this.asking = false;
    this.update();
  }
  judge() { // Python has the run and grades the students' words: only those not graded yet
    const { round } = this.room.state ?? {}, { unjudged = [] } = round ?? {};
    if (!unjudged.length || this.judging || !isSame(here(), this.room.place)) return;
    if (round.place?.run !== this.room.place.run) return; // by its own run, or not at all
    this.judging = true;
    this.later("judging", SOON, () => { this.judging = false; });
    const { round: number, question: { parts }, place: { step } } = round;
    this.later("judge", SOON, () => this.send("judge", { round: number, parts, step, words: unjudged }));
  }
  async goTo(step) { // the lecturer's own stage, and then the class's
    // In Predict the steps ahead aren't in the browser: Python shows one more.
    if (stepNow() === step || turnTo(step, true)) await this.report(true);
    else if (!this.joining) this.go({ ...here(), step, leads: true });
  }
  async reveal(round) {
    if (!await this.post("reveal", { round: round.round })) return;
    round.state = "revealed";
    this.update(); // nothing is held back any more
    const { question, place } = round;
    if (question.kind !== "own" && stepNow() === place?.step && isSameRun(here(), place)) {
      await this.goTo(place.step + 1);
    }
  }

  // --- its commands
  onClick(button) {
    if (button) this.act(button.dataset.do);
  }
  act(what) {
    const { state } = this.room;
    if (what === "ask") this.ask();
    else if (what === "give") this.give();
    else if (what === "blank") this.turn("blank", "blank", "on");
    else if (what === "call") this.turn("call", "all", "all");
    else if (what === "prepared") this.askPrepared();
    else if (what === "present") this.presenter.turn(!this.presenter.isOn());
    else if (what === "leave") this.leave();
    else if (what === "end" && (!state || state.ended || this.room.refused)) this.leave();
    else if (what === "back" && this.room.isLecturer()) this.join();
    else if (what === "back") this.follower.back();
    else if (what === "unsure") this.unsure();
    else this.panel?.turn(what); // code, pace, lost, progress, end
  }
  ask() {
    if (this.wall.draft) this.wall.act("close");
    else if (!this.wall.isOpen() || this.room.state.round?.state === "revealed") this.draft();
  }
  give() {
    const { given: tasks } = givenHere() ?? {};
    if (!tasks) return;
    const { page, query } = here();
    this.post("give", { page, query, ...tasks });
    this.panel.kind = "";
    this.panel.turn("progress");
  }
  async unsure() {
    const place = this.saidLost = this.placeKey();
    this.update();
    await this.post("lost", { step: this.stepOfStudent() }, () => {
      if (this.saidLost === place) this.saidLost = null;
      this.update();
    });
  }
  setMode(follows) {
    this.room.state.follows = follows;
    this.update();
    this.post("mode", { follows });
  }
  lead(to) {
    dispatchEvent(new Event("ts-led"));
    this.send("go", to);
  }
  async end() {
    if (await this.post("end")) this.room.state.ended = true; // the page after this is told to nobody
    this.lead({ page: "classroom", query: "", step: null, nonce: `${performance.now()}` });
  }
  leave() {
    this.room.close();
    this.send("leave", this.room.code);
  }

  // --- keys
  onKey(event) {
    const key = keyOf(event), { state } = this.room ?? {};
    if (event.defaultPrevented || isComposing(event) || event.repeat || hasModifier(event)) return;
    if (isTaken(event, TAKES_LETTERS)) return;
    if (!state || state.ended || !this.room.isLecturer()) return;
    const what = this.wall.onKey(key) ? "" : LECTURER.find(([, letter]) => letter.toLowerCase() === key)?.[0];
    if (what === undefined) return;
    if (what && !this.part(`[data-do="${what}"]`).hidden) this.act(what);
    event.preventDefault();
  }
  takesHeld(event) { // a clicker's key for the black screen asks when it is held, in a plan too
    return this.page.hasAttribute(PROJECTED) && Boolean(this.room?.isLecturer() && this.room.state)
      && /^[b.]$/.test(keyOf(event)) && !hasModifier(event) && !isTaken(event, TAKES_LETTERS);
  }
  onEarlyKey(event) { // a clicker's large key goes through a question; held, without a plan, it asks one
    if (event.key !== "PageDown" || !this.room?.isLecturer() || !this.room.state) return;
    if (isComposing(event) || isTaken(event, TAKES_PAGES)) return;
    if (this.pending !== null && isRunHere(this.about)) { // the answer isn't next while the question is on its way
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (this.wall.isOpen() && !event.repeat && this.wall.onKey("PageDown")) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (this.page.hasAttribute(PROJECTED) && !this.page.hasAttribute("data-walk")) {
      if (!event.repeat) this.pressed = event.timeStamp;
      else if (event.timeStamp - this.pressed >= HOLD) {
        this.pressed = Infinity; // once
        this.ask();
      }
    }
  }
  close() {
    const { room } = this;
    this.leaveRoom?.();
    // Unless the next page takes it up; its strip may have come before this end.
    if (room && !room.strips) room.leaving = setTimeout(() => room.close(), 3000);
    clearInterval(this.ticks);
    this.sizes.disconnect();
    const parts = [this.presenter, this.wall, this.panel, this.card, this.follower];
    for (const part of [...parts, { close: () => this.blank.remove() }]) part?.close();
    this.live.remove();
    for (const name of [CLASS, ASKED, AHEAD, KEPT_END, "data-class-wall"]) this.page.removeAttribute(name);
    this.page.style.removeProperty(HEIGHT);
    stageBox()?.dispatchEvent(new CustomEvent("tokensteps:hold", { detail: null }));
    stageBox()?.dispatchEvent(new CustomEvent("tokensteps:keep", { detail: { steps: null } }));
    super.close();
    dispatchEvent(new Event("resize"));
  }
}

export default function classStrip({ data, parentElement: root, setTriggerValue }) {
  return mount(ClassStrip, root, data, setTriggerValue);
}
