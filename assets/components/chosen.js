// Tells Python which stretch of the page's text somebody has chosen by clicking a chip: an ear without a face.

class Chosen extends Component {
  number = 0; // the same chip may be chosen again

  constructor(root) {
    super(root, "ts-chosen", "");
    const tell = ({ detail: { start, end } }) => this.send("stretch", [start, end, ++this.number]);
    document.addEventListener("tokensteps:range", tell, { signal: this.gone.signal });
  }
  receive() {} // nothing to show
}

export default function chosen({ data, parentElement: root, setStateValue }) {
  return mount(Chosen, root, data, setStateValue);
}
