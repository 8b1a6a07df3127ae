// A class over the wire: small POSTs, and one stream of events that comes back by itself with the last event's number.
// The browser keeps, by the class's code, its proof of being the lecturer (a key) or one of the students (a device).

const STORED = "tokensteps.class", MOST_STORED = 12; // in the browser's storage
const LED = "tokensteps.class.led"; // in the tab's: the class it has led, also before a reload
const DAY = 86_400_000; // ms of a class's longest life
const ROOM = Symbol.for("tokensteps.room"); // on the document: this tab's class
const FINAL = ["gone", "key", "ended"]; // a stream refused for these won't come back
const PASSING = ["offline", "store", "often"]; // a message refused for these may be sent again
const AGAIN = [1000, 5000]; // ms until a stream is opened again: at first, and at most
const UNANSWERED = 15_000; // ms until a message counts as lost: others wait for their turn behind it
const SILENT = 40_000; // ms without a word until nobody is there: the server says something every 15 s
const EVENTS = ("state place plan pace teams deck picked blank names call ask tally shown closed reveal put drop "
  + "people lost give progress end").split(" ");

const api = () => new URL("class/api/", new URL(".", location.href)).href;

class Refused extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}
async function arrived(request) { // an answer; Refused with the kind of error for all else
  const answer = await request.catch(() => { throw new Refused("offline"); });
  if (!answer.ok) throw new Refused((await answer.json().catch(() => ({}))).error ?? "store");
  return answer;
}
async function answered(request) { // its JSON, unless the network is lost in the midst of it
  const answer = await arrived(request);
  return answer.json().catch(() => { throw new Refused("offline"); });
}
function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" }, signal = AbortSignal.timeout(UNANSWERED);
  return answered(fetch(api() + path, { method: "POST", headers, signal, body: JSON.stringify(body) }));
}

const saved = { // code → {key} or {device, nickname}, latest last; a browser may keep nothing, and give back anything
  all() {
    const all = storage.get(STORED);
    return all && typeof all === "object" ? all : {};
  },
  get(code) {
    const entry = saved.all()[code];
    return entry && typeof entry === "object" ? entry : {};
  },
  set(code, what) {
    const all = saved.all();
    const now = { ...all[code], ...what };
    delete all[code];
    storage.set(STORED, Object.fromEntries([...Object.entries(all), [code, now]].slice(-MOST_STORED)));
  },
};
// The lecturer's key in a link: behind the #, so that no server is told. "" without one, and if the browser has one.
function linkedKey(code) {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return "";
  history.replaceState(history.state, "", location.pathname + location.search);
  return saved.get(code).key ? "" : key.slice(0, 2000);
}
const randomName = () => // 32 digits; also on plain http
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const running = () => Object.entries(saved.all()) // the codes of the classes led by this browser, the latest first
  .filter(([, one]) => one?.key && !one.over && one.at > Date.now() - DAY).map(([code]) => code).reverse();
function isLed(code) { // whether this tab was where the class is, at its last look
  try { return sessionStorage.getItem(LED) === code; } catch { return false; }
}
function keepLed(code) {
  try { sessionStorage.setItem(LED, code); } catch { /* then it goes where the class is after a reload, too */ }
}

// A class with this tab in it. Its viewers listen for "change", with the kind of event as its detail.
class Room extends EventTarget {
  state = null; // the server's last state
  place = null; // {run, page, query, step, tab}
  by = Math.random().toString(36).slice(2, 10); // this device's id among the lecturer's
  overtakes = false; // whether the last place came from this device, after another one's
  put = 0; // the round put aside after it was revealed
  lost = new Map(); // run and step → how many
  wait = AGAIN[0];
  offered = ""; // the lecturer's key from a link: its reader decides whether to take it
  presents = false; // a lecturer's second device, to be theirs alone
  comes = false; // a lecturer's device that has yet to go to the class's place
  refused = ""; // why the stream won't come back
  posted = Promise.resolve(); // when the messages sent in turn have arrived
  strips = 0; // the strips showing it: of a page, and for a moment of the next one
  behind = false; // since the stream broke off, until the events missed meanwhile have come
  offline = false; // whether there is no network, and no server on this device either
  gone = new AbortController();
  lastEventAt = Date.now(); // when the server last said something; -Infinity once the stream has broken off

  static at(code) {
    if (document[ROOM]?.code !== code) {
      document[ROOM]?.close();
      document[ROOM] = new Room(code);
      document[ROOM].start();
    }
    return document[ROOM];
  }
  constructor(code) {
    super();
    this.code = code;
    watchNetwork((lost) => { this.offline = lost; }, this.gone.signal);
  }
  async start() {
    this.offered ||= linkedKey(this.code);
    if (this.offered) {
      this.tell("offered");
      return;
    }
    const { key, device } = saved.get(this.code);
    [this.role, this.as] = [key ? "lecturer" : "student", key];
    this.comes = Boolean(key) && !isLed(this.code);
    try {
      if (!key) await this.join(device);
    } catch ({ kind }) {
      if (FINAL.includes(kind) || kind === "full") this.refuse(kind);
      else this.later(() => this.start());
      return;
    }
    this.open();
  }
  decide(leads) { // whether to lead the class, with a link's key
    if (leads) saved.set(this.code, { key: this.offered, at: Date.now() });
    this.presents = leads;
    this.offered = "";
    this.start();
  }
  async join(device) {
    const { once = randomName() } = saved.get(this.code);
    if (!device) saved.set(this.code, { once }); // an answer may come too late: to join again is no other student
    ({ device: this.as } = await post(`${this.code}/join`, device ? { device } : { once }));
    saved.set(this.code, { device: this.as });
  }
  refuse(kind) {
    this.refused = kind;
    // With a wrong key, the code can still be used for joining.
    if (this.role === "lecturer") saved.set(this.code, kind === "key" ? { key: undefined } : { over: true });
    this.tell("refused");
  }
  later(run) {
    clearTimeout(this.timer);
    if (this.gone.signal.aborted) return;
    this.timer = setTimeout(run, this.wait * (0.8 + 0.4 * Math.random()));
    this.wait = Math.min(2 * this.wait, AGAIN[1]);
  }
  open() {
    if (this.gone.signal.aborted) return;
    const after = this.last ? `&after=${this.last}` : "";
    const url = `${api()}${this.code}/events?as=${encodeURIComponent(this.as)}${after}`;
    const source = this.source = new EventSource(url);
    for (const kind of ["open", "ping"]) source.addEventListener(kind, () => this.isThere());
    for (const kind of EVENTS) {
      source.addEventListener(kind, ({ data, lastEventId }) => {
        this.isThere();
        if (lastEventId) this.last = lastEventId;
        this.hear(kind, JSON.parse(data));
      });
    }
    source.addEventListener("error", () => { // it tries again by itself, unless the server answered with an error
      if (source !== this.source) return;
      if (source.readyState === EventSource.CLOSED) this.ask(url);
      this.lose();
    });
  }
  isThere() {
    const away = this.isAway();
    [this.wait, this.lastEventAt] = [AGAIN[0], Date.now()];
    if (away) this.tell("back");
  }
  isAway() { // whether no message would be heard now
    return this.offline || Date.now() - this.lastEventAt > SILENT;
  }
  lose() {
    [this.lastEventAt, this.behind] = [-Infinity, true];
    this.tell("away");
  }
  look() { // now and then: a lost network says nothing
    if (this.lastEventAt === -Infinity || !this.source || this.state?.ended || !this.isAway()) return;
    this.source.close();
    this.lose();
    this.later(() => this.open());
  }
  async ask(url) { // the reason for a refusal: a stream doesn't tell it
    const stop = new AbortController();
    try {
      const answer = await fetch(url, { signal: stop.signal });
      const { error } = answer.ok ? {} : await answer.json();
      if (FINAL.includes(error)) return this.refuse(error);
    } catch { /* nobody there yet */ } finally { stop.abort(); }
    this.later(() => this.open());
  }
  close() {
    this.gone.abort();
    clearTimeout(this.timer);
    this.source?.close();
    if (document[ROOM] === this) delete document[ROOM];
  }
  tell(kind) {
    this.dispatchEvent(new CustomEvent("change", { detail: kind }));
  }
  post(what, body = {}) {
    return post(`${this.code}/${what}`, { as: this.as, ...body });
  }
  postInTurn(what, body) { // one after the other, as they were asked for
    const done = this.posted.then(() => this.post(what, body));
    this.posted = done.catch(() => {});
    return done;
  }
  async name(nickname) {
    await post(`${this.code}/join`, { device: this.as, nickname });
    this.state.nickname = nickname;
    saved.set(this.code, { nickname });
  }
  hearName() { // the same student may have given it in another tab
    if (this.state) this.state.nickname ||= saved.get(this.code).nickname;
    this.tell("name");
  }
  isLecturer() {
    return this.role === "lecturer";
  }

  // --- the server's events
  hear(kind, data) {
    const was = this.place;
    if (kind === "state") this.know(data);
    else if (this.state) this.learn(kind, data);
    if (this.state?.ended) this.source.close(); // nothing follows
    if (this.state?.ended && this.isLecturer()) saved.set(this.code, { over: true });
    this.tell(kind);
    const elsewhere = ["run", "step", "tab"].some((name) => was?.[name] !== this.place?.[name]);
    if (kind === "state" && was && this.place && elsewhere) this.tell("place"); // missed
    if (kind === "state" || kind === "people") this.behind = false; // a lecturer's, after all missed ones
  }
  know(data) {
    if (this.isLecturer()) keepLed(this.code); // the strip may come later than this
    this.state = data;
    [this.place, this.overtakes] = [data.place, false];
    this.lost = new Map((data.lost ?? []).map((one) => [`${one.run}.${one.step}`, one]));
    this.planned(data.plan);
    if (data.round) this.begin(data.round);
    const { state, round, put } = data.round ?? {}; // it is over for a student who hasn't answered, too
    if (state === "revealed" && (put || this.isOver())) this.put = round;
  }
  putAside(round) { // a student's result, on this device
    this.put = round;
    saved.set(this.code, { put: round });
  }
  isOver() { // a student's result: put aside before a reload, or past
    const { place, state: { round } } = this, steps = [0, round.question.kind === "own" ? 0 : 1];
    const isThere = place?.run === round.place?.run && steps.includes((place?.step ?? 0) - (round.place?.step ?? 0));
    return !this.isLecturer() && (saved.get(this.code).put === round.round || !isThere);
  }
  planned(plan) { // its time goes by this computer's own clock
    this.state.plan = plan && { ...plan, since: Date.now() - 1000 * plan.seconds };
  }
  begin(round) { // a countdown ends by this computer's own clock
    this.state.round = { state: "open", answered: 0, mine: null, ...round };
    this.state.round.ends = round.left == null ? null : Date.now() + 1000 * round.left;
  }
  learn(kind, data) {
    const { state } = this, mine = data?.round !== undefined && data.round === state.round?.round;
    if (kind === "place") this.move(data);
    else if (kind === "pace") [state.pace, state.all, state.follows] = [data.pace, true, true];
    else if (kind === "teams") state.teams = data.teams;
    else if (kind === "deck") state.deck = data;
    else if (kind === "plan") this.planned(data);
    else if (kind === "blank") state.blank = data.on;
    else if (kind === "names") {
      [state.nicknames, state.nickname] = [data.on, ""]; // the room has forgotten it
      if (!this.isLecturer()) saved.set(this.code, { nickname: "" });
    }
    else if (kind === "call") [state.all, state.follows, state.pace] = [data.all, data.all, null];
    else if (kind === "people") state.people = data;
    else if (kind === "lost") this.lost.set(`${data.run}.${data.step}`, data);
    else if (kind === "ask") {
      if (data.prepared) state.asked.push(data.prepared);
      this.begin(data);
    } else if (kind === "put") this.put = data.round;
    else if (kind === "drop") {
      if (mine && state.round.prepared) state.asked.splice(state.asked.lastIndexOf(state.round.prepared), 1);
      if (mine) state.round = null;
    } else if (kind === "give") state.give = data;
    else if (kind === "progress") state.give = { ...state.give, progress: data };
    else if (kind === "end") state.ended = true;
    else if (mine) Object.assign(state.round, data, STATES[kind] && { state: STATES[kind] });
  }
  move(place) { // a result stays no longer than its place
    const { round } = this.state, elsewhere = this.place && place.run !== this.place.run;
    if ((elsewhere || this.isPast(place)) && round?.state === "revealed") this.put = round.round;
    if (elsewhere) this.state.pace = null;
    this.overtakes = place.by === this.by && this.place?.by !== this.by;
    this.place = { ...this.place, ...place };
  }
  isPast({ step }) { // a student's result, once the class goes to a step that isn't the answer itself
    const { round } = this.state, now = this.place?.step;
    const isAnswer = round?.question.kind !== "own" && now === round?.place?.step && step === now + 1;
    return !this.isLecturer() && step !== now && !isAnswer;
  }
}
const STATES = { shown: "shown", closed: "closed", reveal: "revealed" };
