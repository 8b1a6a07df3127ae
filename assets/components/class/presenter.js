// The lecturer's own screen, on a second device: the plan's note with its answer, this step and the next, the numbers
// of followers and of answers, before the wall shows them; and large buttons for a lesson's actions. It lies over the
// page, and the page goes along beneath it. Its contents never get onto the wall.

const PRESENTS = "tokensteps.class.presents"; // in the tab's storage: the class it presents
const SETTLES = 500; // ms until an activity's page is known
const SHORTENED = 120; // characters of the next question, on its button
const PLANNED = /^\d+\.\d+$/; // an activity of a plan in an address, not a station of the path
const planHere = () => {
  const walk = new URLSearchParams(location.search).get("walk") ?? "";
  return PLANNED.test(walk) ? walk : "";
};
const PAD = [["prepared", "Q"], ["back", "Left"], ["next", "Right"], ["ask", "A"], ["show", "S"], ["reveal", "E"],
  ["again", "G"], ["blank", "K"]];

class Presenter {
  constructor(strip) {
    this.strip = strip;
    const part = (className) => make("div", { className });
    [this.plan, this.steps, this.slot, this.pad] = ["plan", "steps", "slot", "pad"].map(part);
    this.title = make("h2");
    this.time = make("b", { className: "time" });
    this.people = make("p", { className: "people" });
    this.node = make("section", { className: "ts-class-presenter", hidden: true },
      make("header", {}, this.title, this.time), this.people, this.plan, this.steps, this.slot, this.pad);
    this.node.setAttribute("role", "region");
    document.body.append(this.node);
    this.pad.append(...PAD.map(([what, keys]) => {
      const button = make("button", { type: "button", data: { pad: what } });
      button.setAttribute("aria-keyshortcuts", keys.length > 1 ? `Arrow${keys}` : keys);
      return button;
    }));
    this.node.addEventListener("click", ({ target }) => this.onClick(target.closest("[data-pad]")));
  }
  get labels() {
    return this.strip.labels;
  }
  get room() {
    return this.strip.room;
  }
  isOn() {
    return !this.node.hidden;
  }
  was() { // before a reload
    return stored(PRESENTS) === this.room.code;
  }
  turn(on) {
    if (on === this.isOn()) return;
    const { wall } = this.strip, app = document.querySelector(".stApp");
    this.node.hidden = !on;
    stored(PRESENTS, on ? this.room.code : "");
    document.documentElement.toggleAttribute("data-class-presenter", on);
    app?.toggleAttribute("inert", on);
    if (on) this.slot.append(wall.node);
    else document.body.append(wall.node);
    this.tell();
    this.strip.update();
  }
  tell() { // Python has the plan's words, and in Predict the next step
    const on = this.isOn(), walk = (on && this.room.state?.plan?.walk) || "", now = JSON.stringify([on, walk]);
    if (now !== this.wanted) [this.wanted, this.after] = [now, performance.now() + SETTLES];
    if (now === JSON.stringify(this.strip.data.presents)) return; // Python has heard of it
    // Where the class is led comes first: Python does one thing after the other.
    if (this.strip.joining || performance.now() < this.after || isDrawing()) return;
    this.after = performance.now() + ONCE_MORE;
    this.strip.send("present", { on, walk });
  }

  // --- drawing
  update() {
    if (!this.isOn() || !this.room.state) return;
    const { labels, room } = this, { state } = room;
    this.node.ariaLabel = labels.presenter;
    this.title.textContent = filled(labels.class_code, { code: room.code });
    this.people.textContent = [this.strip.peopleTold(), filled(labels.lost_number, { number: this.strip.lostNow() }),
      this.strip.paceTold()].filter(Boolean).join(" · ");
    this.tell();
    this.drawPlan(state.plan);
    this.drawSteps();
    this.drawPad();
    this.tick();
  }
  drawPlan(plan) {
    const data = this.strip.data.plan, { labels } = this;
    const here = plan && data && plan.walk === `${data.walk}.${data.number}` ? data : null;
    const now = JSON.stringify([here, labels.next_activity]);
    this.plan.hidden = !here;
    if (now === this.drawnPlan || !here) return;
    this.drawnPlan = now;
    const go = (by, words) => {
      const button = make("button", { type: "button", textContent: words, data: { pad: `plan:${here.number + by}` } });
      button.ariaDisabled = String(here.number + by < 1 || here.number + by > here.of);
      return button;
    };
    this.plan.replaceChildren(
      make("h3", { textContent: `${filled(labels.activity, { number: here.number, of: here.of })} · ${here.stop}` }),
      make("p", { textContent: here.note }),
      ...(here.answer ? [make("p", { className: "answer" }, make("b", { textContent: `${labels.expected} ` }),
        here.answer)] : []),
      make("div", { className: "actions" }, go(-1, labels.activity_back), go(1, labels.next_activity)));
  }
  drawSteps() { // as screen readers hear them
    const now = stepNow(), next = document[HIDDEN_STEP], peek = { steps: [now, now + 1], texts: [] }, { labels } = this;
    stageBox()?.dispatchEvent(new CustomEvent("tokensteps:peek", { detail: peek }));
    if (next?.on === here()?.page && next?.ahead.step === now + 1) peek.texts[1] ??= next.ahead.say;
    const shown = JSON.stringify([peek, labels.this_step]);
    this.steps.hidden = !peek.texts[0];
    if (shown === this.drawnSteps) return;
    this.drawnSteps = shown;
    this.steps.replaceChildren(...peek.texts.map((text, index) => text && make("p", { className: index ? "soft" : "" },
      make("b", { textContent: `${filled(index ? labels.next_step : labels.this_step, { number: now + index })} ` }),
      text)).filter(Boolean));
  }
  mainButton() {
    const { wall } = this.strip, asked = wall.isLive() && { open: "show", shown: "reveal" }[wall.round.state];
    return this.pad.querySelector(`[data-pad="${wall.draft ? "ask" : asked || "next"}"]`);
  }
  drawPad() {
    const { labels } = this, { wall, room } = this.strip, { round } = room.state;
    const live = wall.isLive() && !wall.draft, next = deck.next(room.state), can = {
      prepared: next && !wall.isAsking(),
      back: stageBox() && stepNow() > 0 && !wall.isAsking(), next: stageBox() && !wall.isAsking(),
      ask: !live || round.state === "revealed", show: live && round.state === "open",
      reveal: live && round.state !== "revealed", again: live && round.state !== "open", blank: true,
    };
    const main = this.mainButton();
    const prepared = next ? filled(labels.ask_prepared, { question: shortened(next.say, SHORTENED) }) : "";
    const words = { prepared, back: labels.step_back, next: labels.step_on,
      ask: wall.draft ? labels.ask_now : labels.ask,
      show: labels.show_short, reveal: labels.reveal, again: labels.again, blank: labels.blank_short };
    for (const button of this.pad.children) {
      const { pad } = button.dataset;
      if (button.textContent !== words[pad]) button.textContent = words[pad];
      if (pad === "blank") button.title = button.ariaLabel = labels.blank;
      button.ariaDisabled = String(!can[pad]);
      if (pad === "prepared") button.hidden = !next;
      button.classList.toggle("main", button === main && Boolean(can[pad]));
    }
    this.pad.lastChild.ariaPressed = String(Boolean(room.state.blank));
  }
  tick() {
    const { plan } = this.room.state ?? {}, { minutes } = this.strip.data.plan ?? {};
    if (!this.isOn()) return;
    const seconds = plan ? Math.floor((Date.now() - plan.since) / 1000) : 0;
    const words = plan && minutes ? `${clock(seconds)} / ${minutes} ${this.labels.minutes}` : "";
    if (this.time.textContent !== words) this.time.textContent = words;
    this.time.classList.toggle("over", Boolean(plan && minutes && seconds >= 60 * minutes));
  }

  // --- buttons
  onClick(button) {
    if (!button || button.ariaDisabled === "true") return;
    const [what, number] = button.dataset.pad.split(":"), { strip } = this, { wall } = strip;
    if (what === "plan") strip.goPlan(Number(number));
    else if (what === "back") strip.goTo(stepNow() - 1);
    else if (what === "next") {
      if (wall.isLive()) wall.act("go");
      strip.goTo(stepNow() + 1);
    } else if (what === "ask") {
      if (wall.draft) wall.act("send");
      else strip.ask();
    } else if (what === "blank" || what === "prepared") strip.act(what);
    else wall.act(what);
    strip.update();
  }
  close() {
    document.documentElement.removeAttribute("data-class-presenter");
    document.querySelector(".stApp")?.removeAttribute("inert");
    this.node.remove();
  }
}
function stored(name, value) { // in the tab; a browser may keep nothing
  try {
    if (value === undefined) return sessionStorage.getItem(name) ?? "";
    sessionStorage.setItem(name, value);
  } catch { /* then it is forgotten with the page */ }
  return "";
}
