// What a class's strip has to know of the page that Python has drawn: its name, its settings where the address is bare,
// the question that was asked for; and what may be given to the class, with what has been answered of it.
const SHOWN = Symbol.for("tokensteps.shown"), GIVEN = Symbol.for("tokensteps.given-to-class"); // on the document
const AHEAD = Symbol.for("tokensteps.ahead-of-class"); // and the step that Predict hides, for the lecturer's own screen

export default function classPage({ data }) {
  if (data.ahead) document[AHEAD] = data;
  else if (data.given) document[GIVEN] = data;
  else document[SHOWN] = { ...data, usual: sorted(data.usual) };
  document.dispatchEvent(new Event("tokensteps:shown"));
}
function sorted(pairs) {
  const found = new URLSearchParams(pairs);
  found.sort();
  return found.toString();
}
