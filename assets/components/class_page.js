// Facts about Python's page for a class's strip: its name, its settings behind a bare address, the requested question;
// and the tasks to give to the class, with the answers so far.
const SHOWN = Symbol.for("tokensteps.shown"), GIVEN = Symbol.for("tokensteps.given-to-class"); // on the document
const AHEAD = Symbol.for("tokensteps.ahead-of-class"); // and the step hidden by Predict, for the lecturer's own screen

export default function classPage({ data }) {
  if (data.ahead) document[AHEAD] = data;
  else if (data.given) document[GIVEN] = data;
  else document[SHOWN] = { ...data, usual: sorted(data.usual) };
  document.dispatchEvent(new Event("tokensteps:shown"));
}
function sorted(pairs) {
  const params = new URLSearchParams(pairs);
  params.sort();
  return params.toString();
}
