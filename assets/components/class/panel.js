// The lecturer's panel over the page: the code and the address for it, large; the places where students were lost;
// their progress with the given tasks. One at a time; Escape closes it.

const SPAN = 5; // steps within a class's bounds, unless the lecturer sets others
const LOCAL = /^(localhost|127\.|\[?::1)/;

class Panel {
  kind = "";
  leads = false; // whether the key of a link is taken

  constructor(strip) {
    this.strip = strip;
    this.node = make("section", { className: "ts-class-panel", popover: "manual", tabIndex: -1 });
    this.node.setAttribute("role", "dialog");
    document.body.append(this.node);
    this.node.addEventListener("click", ({ target }) => this.onClick(target.closest("button")));
    this.node.addEventListener("keydown", (event) => {
      event.stopPropagation(); // no key of the page's
      if (isComposing(event)) return;
      if (event.key === "Escape") this.turn("");
      if (event.key === "Enter" && this.ends?.includes(event.target)) {
        event.preventDefault(); // it would press the button that has the focus by then
        this.keep();
      }
    });
  }
  get labels() {
    return this.strip.labels;
  }
  turn(kind) {
    const next = kind === this.kind ? "" : kind;
    if (!this.kind && next) this.was = focused();
    const offered = this.kind === "offered";
    [this.kind, this.second] = [next, false]; // the lecturer's key is shown on request only
    this.node.togglePopover(Boolean(next));
    if (next) {
      this.fill();
      this.node.focus({ preventScroll: true });
    } else {
      if (this.node.contains(document.activeElement)) document.activeElement.blur(); // the next key is the page's
      if (this.was?.isConnected) this.was.focus({ preventScroll: true });
    }
    this.strip.update();
    if (offered) this.strip.room.decide(this.leads);
  }
  fill() {
    const { labels, kind } = this, titles = {
      code: this.second ? labels.second_device : labels.join_title, pace: labels.pace_title,
      lost: labels.lost_title, end: labels.end_title, progress: labels.progress_title,
      offered: filled(labels.lead_title, { code: this.strip.room.code }) }, title = titles[kind];
    const close = make("button", { type: "button", className: "leave", data: { do: "close" }, innerHTML:
      icon("M4 4l8 8M12 4l-8 8"), ariaLabel: labels.close, title: `${labels.close} (Esc)` });
    this.node.ariaLabel = title;
    this.node.className = `ts-class-panel ${kind}`;
    const head = make("div", { className: "head" }, make("h2", { textContent: title }), close);
    this.node.replaceChildren(head, ...this[kind]());
    if (kind === "code") this.draw();
  }
  refresh() { // the figures: they change while it is open
    if (this.kind === "lost" || this.kind === "progress") put(this.node, [this.node.firstChild, ...this[this.kind]()]);
    const people = this.node.querySelector(".people"), names = this.node.querySelector(".names input");
    const select = this.node.querySelector(".teams select"), { teams } = this.strip.room.state;
    if (people) people.textContent = this.strip.peopleTold();
    if (names) [names.checked, names.disabled] = this.namesAsked();
    if (select && Number(select.value) !== teams) select.value = teams; // an open list stays as it is
  }

  // --- the code
  address() {
    const { code } = this.strip.room, known = saved.get(code).address;
    const here = new URL(".", location.href).href.replace(/\/$/, "");
    return this.edited ?? (known && LOCAL.test(location.hostname) ? known : here);
  }
  link() {
    return `${this.address().replace(/\/+$/, "")}/?class=${this.strip.room.code}`;
  }
  namesAsked() { // whether, and whether it is too late for a change: students who answered without a name get none
    const { state } = this.strip.room, on = Boolean(state.nicknames);
    return [on, !on && Boolean(this.strip.votes.size || state.round || state.give)];
  }
  names() {
    const [checked, disabled] = this.namesAsked(), box = make("input", { type: "checkbox", checked, disabled });
    box.addEventListener("change", () => this.strip.turn("names", "nicknames", "on"));
    return make("label", { className: "names", title: this.labels.names_hint }, box,
      make("span", { textContent: this.labels.names }));
  }
  teams() {
    const { labels, strip } = this;
    const box = make("select", {}, ...[0, 2, 4].map((teams) => make("option", { value: teams,
      textContent: teams ? filled(labels.teams_number, { number: teams }) : labels.no_teams })));
    box.value = strip.room.state.teams;
    box.addEventListener("change", () => strip.turn("teams", "teams", "teams", Number(box.value)));
    return make("label", { className: "teams", title: labels.teams_hint }, make("span", { textContent: labels.teams }),
      box);
  }
  code() {
    const { labels, strip } = this, { code } = strip.room;
    const box = make("input", { value: this.address(), spellcheck: false, maxLength: 200, ariaLabel: labels.address });
    box.addEventListener("input", () => {
      this.edited = box.value.trim();
      this.node.querySelector(".link").textContent = this.link();
      this.strip.later("qr", 400, () => this.draw());
    });
    const hidden = Boolean(this.second); // the invitation for the class
    const shown = make("b", { className: "room-code", ariaLabel: [...code].join(" ") },
      make("span", { textContent: code.slice(0, 3) }), make("span", { textContent: code.slice(3) }));
    const copy = make("button", { type: "button", hidden, textContent: labels.copy, data: { do: "copy" } });
    const second = make("button", { type: "button", textContent: labels.second_device, data: { do: "second" } });
    second.ariaPressed = String(hidden);
    return [make("div", { className: "both" }, make("div", { className: "qr" }),
      make("div", { hidden }, make("p", { textContent: labels.join_how }), shown,
        make("p", { className: "people" }, strip.peopleTold()))),
    make("p", { className: "link", hidden, textContent: this.link() }),
    make("label", {}, make("span", { textContent: labels.address }), box),
    make("p", { className: "soft", textContent: labels.wifi }), this.names(), this.teams(),
    make("footer", {}, make("button", { type: "button", hidden, className: "main", textContent: labels.start, data:
      { do: "close" } }), copy, second)];
  }
  async draw() { // the code to scan: of the students' link, or of the lecturer's second device
    const { room } = this.strip, key = this.second ? `#key=${encodeURIComponent(room.as)}` : "";
    const text = this.link() + key, container = () => this.drawn === text ? this.node.querySelector(".qr") : null;
    this.drawn = text; // an answer later than the next one's is not shown
    try {
      const qr = await answered(fetch(`${api()}${room.code}/qr?${new URLSearchParams({ as: room.as, text })}`));
      container()?.replaceChildren(qrNode(qr, this.second ? this.labels.second_device : this.labels.qr),
        ...(this.second ? [make("p", { className: "soft", textContent: this.labels.second_hint })] : []));
    } catch {
      container()?.replaceChildren(make("p", { className: "soft", textContent: this.labels.no_qr }));
    }
  }

  // --- a link with the lecturer's key
  offered() {
    const { labels } = this;
    return [make("p", { textContent: labels.lead_means }), make("p", { textContent: labels.lead_whose }),
      make("footer", {}, make("button", { type: "button", textContent: labels.lead, data: { do: "lead" } }),
        make("button", { type: "button", className: "main", textContent: labels.only_join, data: { do: "close" } }))];
  }

  // --- bounds for steps at everybody's own pace
  pace() {
    const { labels, strip } = this, [first, last] = strip.room.state.pace ?? [stepNow(), stepNow() + SPAN];
    this.ends = [first, last].map((value) => make("input", { type: "number", min: 0, step: 1, value }));
    this.wrong = make("p", { className: "wrong" });
    this.wrong.setAttribute("role", "alert");
    const named = [labels.pace_first, labels.pace_last].map((textContent, index) =>
      make("label", {}, make("span", { textContent }), this.ends[index]));
    const button = (what, textContent, className = "") =>
      make("button", { type: "button", textContent, className, data: { do: what } });
    return [make("p", { textContent: labels.pace_how }), make("div", { className: "ends" }, ...named), this.wrong,
      make("footer", {}, button("keep", labels.pace_keep, "main"),
        ...(strip.room.state.pace ? [button("follow", labels.pace_end)] : []))];
  }
  keep() {
    const [first, last] = this.ends.map(({ value }) => (/^\d{1,9}$/.test(value) ? Number(value) : NaN));
    const { labels } = this, end = stageBox() ? stageEnd() : Infinity; // in Predict, of the steps so far
    this.wrong.textContent = first <= last ? first <= end ? "" : filled(labels.pace_beyond, { first, last: end })
      : filled(labels.pace_wrong, { first: this.ends[0].value || "–", last: this.ends[1].value || "–" });
    if (this.wrong.textContent) return;
    this.strip.post("pace", { first, last });
    this.turn("");
  }

  // --- the students' messages and progress
  lost() {
    const places = this.strip.lostPlaces();
    if (!places.length) return [make("p", { textContent: this.labels.nobody_lost })];
    return [make("p", { className: "soft", textContent: this.labels.lost_how }), lostCurve(this.labels, places)];
  }
  progress() {
    const { give, people } = this.strip.room.state, { questions = [], of: joined = 0 } = give?.progress ?? {};
    const of = Math.max(people?.here ?? 0, joined, ...questions.map(({ done }) => done));
    const rows = questions.map(({ done, right, tied }, index) => make("tr", {},
      make("th", { scope: "row", textContent: index + 1 }), make("td", {},
        make("span", { className: "bar", style: `--share:${of ? done / of : 0}` }),
        make("span", { className: "number", textContent: [filled(this.labels.progress_told, { done, of, right }),
          tied && filled(this.labels.tied_number, { number: tied })].filter(Boolean).join(" · ") }))));
    const back = make("button", { type: "button", textContent: this.labels.take_back, data: { do: "ungive" } });
    return [make("p", { textContent: give?.label ?? "" }),
      make("table", { className: "bars" }, make("tbody", {}, ...rows)), make("footer", {}, back)];
  }
  end() {
    return [make("p", { textContent: this.labels.end_sure }), make("footer", {},
      make("button", { type: "button", className: "main", textContent: this.labels.end, data: { do: "end" } }),
      make("button", { type: "button", textContent: this.labels.not_yet, data: { do: "close" } }))];
  }
  async onClick(button) {
    const what = button?.dataset.do;
    this.leads = what === "lead";
    if (what === "close" || what === "lead") this.turn("");
    else if (what === "copy") {
      if (putOnClipboard(this.link())) button.textContent = this.labels.copied;
    } else if (what === "second") {
      this.second = !this.second;
      this.fill();
      this.node.querySelector('[data-do="second"]').focus();
    } else if (what === "keep") this.keep();
    else if (what === "follow") {
      this.strip.post("pace");
      this.turn("");
    } else if (what === "ungive") {
      const { give } = this.strip.room.state; // another device may have been faster
      if (give) this.strip.post("give", { page: give.page, query: give.query, questions: 0 });
      this.turn("");
    } else if (what === "end") {
      this.turn("");
      this.strip.end();
    }
  }
  close() {
    this.node.remove();
  }
}
