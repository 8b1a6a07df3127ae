// Several tokenizers on one text, aligned: lines of markup, drawn by Python. As a part of the page itself, they would
// be cleaned, and searched for focusable parts, from the first to the last, with every key in the text box.

class Aligned extends Component {
  drawn = [];

  constructor(root) {
    super(root, "ts aligned", "");
    Object.assign(this.box, { role: "group", tabIndex: 0 }); // it scrolls
  }
  receive({ label, lines }) {
    this.box.ariaLabel = label;
    putLines(this.box, this.drawn, lines);
    this.drawn = lines;
  }
}

export default function aligned({ data, parentElement: root }) {
  return mount(Aligned, root, data);
}
