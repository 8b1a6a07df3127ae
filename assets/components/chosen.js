// Tells Python the stretch of the page's text chosen by clicking a chip: an ear without a face.

class Chosen extends Component {
  number = 0; // the same chip may be chosen again

  constructor(root) {
    super(root, "ts-chosen", "");
    const tell = ({ detail: { start, end } }) => this.send("stretch", [start, end, ++this.number]);
    document.addEventListener("tokensteps:range", tell, { signal: this.gone.signal });
  }
  receive({ show }) { // the tab around this, when somebody asked elsewhere on the page
    const tabs = show && this.root.host.closest('[class*="st-key-tabs-"]');
    if (tabs) requestAnimationFrame(() => tabs.scrollIntoView());
  }
}

export default function chosen({ data, parentElement: root, setStateValue }) {
  return mount(Chosen, root, data, setStateValue);
}
