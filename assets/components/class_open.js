// The button to open a class, on every page that can have one; J does, too, and in projector mode. The browser keeps
// the lecturer's key.
const PEOPLE = "M2.5 13c0-2 1.3-3 3-3s3 1 3 3M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM10 10c1.8-.3 3.5.8 3.5 3"
  + "M10 7.5a2 2 0 1 0 0-4";

class ClassOpen extends Component {
  constructor(root) {
    super(root, "", `<button type="button" class="ts-head-button" aria-keyshortcuts="J">${icon(PEOPLE)}<span></span>
      </button><span class="unseen" role="alert"></span>`);
    [this.button, this.alert] = this.box.children;
    this.projected = make("button", { type: "button", className: "ts-open-projected", innerHTML: icon(PEOPLE) });
    document.body.append(this.projected); // the head of a page is not projected
    for (const button of [this.button, this.projected]) button.addEventListener("click", () => this.open());
    addEventListener("keydown", (event) => this.onKey(event), { signal: this.gone.signal });
  }
  connect({ labels }, send) {
    [this.labels, this.send] = [labels, send];
    this.button.lastElementChild.textContent = this.button.ariaLabel = labels.open;
    this.projected.ariaLabel = labels.open;
    this.button.title = this.projected.title = `${labels.open} (J)`;
  }
  onKey(event) {
    if (event.defaultPrevented || isComposing(event) || event.repeat || hasModifier(event)) return;
    if (keyOf(event) !== "j" || !this.root.isConnected || isTaken(event, TAKES_LETTERS)) return;
    this.open();
    event.preventDefault();
  }
  async open() {
    if (this.button.disabled) return;
    this.button.disabled = true;
    try {
      const { code, key, address } = await post("open", {});
      saved.set(code, { key, address, at: Date.now() });
      Room.at(code).fresh = true; // its panel opens by itself
      this.send("opened", code);
      this.later("again", UNANSWERED, () => { this.button.disabled = false; }); // until then, Python takes it away
    } catch ({ kind }) {
      this.button.lastElementChild.textContent = this.alert.textContent
        = this.labels[`error_${kind}`] ?? this.labels.error_store;
      this.button.disabled = false;
    }
  }
  close() {
    this.projected.remove();
    super.close();
  }
}

export default function classOpen({ data, parentElement: root, setTriggerValue }) {
  return mount(ClassOpen, root, data, setTriggerValue);
}
