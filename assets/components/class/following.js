// Where a page is, and how a student's page goes along with the class. A step with frames in the browser is turned
// here, and no server hears of it; for another page or other settings, Python leads there, in the student's language.

const TRAVELLING = ["lang", "class", "walk", "step", "lost"]; // parameters without influence on the page's contents
const VIEWS = ["mode", "ask", "show", "watch"]; // and the parameters of the view of a run
const PATIENCE = 15_000; // ms for Python to lead somewhere, and for its answer to the reader
const SMALL = 700; // px: of a phone

const isShown = ({ path } = {}) => path === location.pathname.split("/").pop();
const stageBox = () => (document[MAIN]?.isConnected ? document[MAIN] : null);
function settings(search) { // as text, equal for equal settings
  const params = new URLSearchParams(search);
  for (const name of TRAVELLING) params.delete(name);
  params.sort();
  return params.toString();
}
function here() { // null while the page is on its way
  const shown = document[SHOWN];
  if (!isShown(shown)) return null;
  return { page: shown.page, query: settings(location.search) || shown.usual };
}
// The same by the address: Python may not have named its page yet.
const addressed = () => ({ page: location.pathname.split("/").pop(), query: settings(location.search) });
// Whether Python has drawn the address's page: drawings for the last one may still come after Back.
const isDrawn = () => ["", document[SHOWN]?.usual].includes(settings(location.search));
const isAside = () => Boolean(document[SHOWN]?.aside); // whether a lecturer leads nobody to this page
const isSame = (one, other) => one && other && one.page === other.page && one.query === other.query;
function isSameRun(one, other) { // however it is looked at
  const run = ({ page, query }) => {
    const params = new URLSearchParams(query);
    for (const name of VIEWS) params.delete(name);
    return `${page}?${params}`;
  };
  return Boolean(one && other) && run(one) === run(other);
}
const isRunHere = (place) => !place || isSameRun(here() ?? addressed(), place); // as far as that is known
const givenHere = () => (document[GIVEN]?.on === here()?.page ? document[GIVEN] : null);
function stepNow() { // until there is a stage, the one in the address
  const requested = new URLSearchParams(location.search).get("step");
  return Number(stageBox() ? stageBox().querySelector('input[type="range"]').value : requested) || 0;
}
const stageEnd = () => Number(stageBox()?.querySelector('input[type="range"]').max ?? 0);
function tabNow() {
  const index = tabsOfPage().findIndex((tab) => tab.ariaSelected === "true");
  return index < 0 ? "" : String(index);
}
function turnTo(step, own = false) { // whether the stage has this step
  const detail = { step, own, there: false };
  stageBox()?.dispatchEvent(new CustomEvent("tokensteps:go", { detail }));
  return detail.there;
}

class Follower {
  going = null; // {key, nonce, since}: where Python is leading
  led = ""; // where it has led last
  tab = ""; // the lecturer's, as it was taken over last
  acted = -Infinity; // when the reader last did something on the page
  gone = new AbortController();

  constructor(strip) {
    this.strip = strip;
    const { signal } = this.gone;
    const act = (event) => {
      if (event.isTrusted && !strip.owns(event)) this.acted = performance.now();
    };
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, act, { signal, capture: true });
    addEventListener("popstate", act, { signal });
    document.addEventListener("tokensteps:own", () => this.letGo(), { signal });
    document.addEventListener("tokensteps:stage", () => this.onStage(), { signal });
    document.addEventListener("tokensteps:shown", () => this.follow(), { signal });
  }
  get state() {
    return this.strip.room.state;
  }
  get place() {
    return this.strip.room.place;
  }
  key() {
    return `${this.place.page}?${this.place.query}`;
  }
  isThere() {
    const shown = here(), { give } = this.state;
    // Tasks given to all: everybody does them at their own pace.
    if (give?.questions && isSame(give, this.place) && shown?.page === give.page) return true;
    return isSame(shown, this.place) || (shown?.page === this.place.page && this.led === this.key() && !this.changed());
  }
  changed() { // since Python led here, the reader has chosen something else
    return this.arrived !== undefined && here()?.query !== this.arrived;
  }
  follow() {
    if (!this.state?.follows || !this.place || this.state.ended || this.isUnderWay()) return;
    const { give } = this.state;
    if (!here() && give?.questions && addressed().page === give.page) return; // reloaded amid one's own tasks
    if (this.isThere()) this.step();
    else if (this.led !== this.key() || !this.hasJustActed()) this.go();
    else if (here()) this.letGo(); // the reader has gone elsewhere
  }
  onStage() { // in Predict, Python turns the page of a student who found the next step out alone
    const ahead = this.state?.follows && this.place && stepNow() > this.place.step && this.isThere();
    if (ahead && this.led === this.key() && this.hasJustActed()) this.letGo();
    else this.follow();
  }
  hasJustActed() { // Python's answer to it may take its time
    const recently = performance.now() - this.acted < PATIENCE;
    if (recently && isDrawing()) this.acted = performance.now();
    return recently;
  }
  isUnderWay() {
    if (!this.going) return false;
    const { nonce } = this.going;
    if (document[SHOWN]?.went === nonce && here()) {
      if (this.led !== this.going.key) this.requested = undefined; // the same step of another run hasn't been asked for
      [this.led, this.going, this.arrived] = [this.going.key, null, here().query];
      this.tab = "";
      this.seen = false;
      return false;
    }
    if (isDrawing()) this.going.since = performance.now();
    if (performance.now() - this.going.since < PATIENCE) return true;
    [this.going, this.requested] = [null, undefined]; // unheard: it may be asked for again
    return false;
  }
  target(now) { // the step to be at: one's own, where the class is kept between two
    const pace = this.strip.stepOfClass() === undefined && this.state.pace;
    return pace ? Math.max(pace[0], Math.min(now, pace[1])) : this.place.step;
  }
  go(step = this.target(isSame(addressed(), this.place) ? stepNow() : this.place.step)) {
    const { page, query } = this.place, nonce = `${performance.now()}`;
    this.going = { key: this.key(), nonce, since: performance.now() };
    this.strip.lead({ page, query, step, nonce });
  }
  step() {
    const { tab, query } = this.place, step = this.target(stepNow());
    if (this.led !== this.key()) { // come here otherwise, or led too late
      [this.led, this.arrived, this.requested] = [this.key(), here().query, undefined];
    }
    if (innerWidth <= SMALL && stageBox() && !this.seen) { // past the title, below Streamlit's own bar
      stageBox().style.scrollMarginTop = "64px";
      stageBox().scrollIntoView({ block: "start" });
    }
    this.seen ||= stageBox() !== null;
    if (stageBox() && !turnTo(step) && query.includes("mode=predict") && this.requested !== step) {
      this.requested = step; // the steps ahead are hidden here; Python shows one more
      this.go(step);
      return;
    }
    if (!tab || tab === this.tab) return;
    const target = tabsOfPage()[Number(tab)];
    if (!target) return;
    this.tab = tab;
    if (target.ariaSelected !== "true") target.click();
  }
  look() { // now and then: has the reader gone elsewhere, or did Python never lead there?
    if (!this.going) this.hasJustActed(); // a page on its way may take long
    if (here() || this.going) this.follow();
  }
  letGo() {
    const { follows, ended } = this.state ?? {};
    if (!follows || ended || this.going || (this.strip.bounds() && this.isThere())) return;
    this.strip.setMode(false);
  }
  back(known = false) { // known: to the room, which has called
    [this.led, this.arrived, this.requested] = ["", undefined, undefined];
    if (!known) this.strip.setMode(true);
    this.follow();
  }
  close() {
    this.gone.abort();
  }
}
