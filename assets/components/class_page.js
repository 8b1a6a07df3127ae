// Facts about Python's page for a class's strip: its name, its settings behind a bare address, the requested question;
// and the tasks to give to the class, with the answers so far.

export default function classPage({ data }) {
  if (data.ahead) document[HIDDEN_STEP] = data;
  else if (data.given) document[GIVEN] = data;
  else document[SHOWN] = { ...data, usual: sorted(data.usual) };
  document.dispatchEvent(new Event("tokensteps:shown"));
}
function sorted(pairs) {
  const params = new URLSearchParams(pairs);
  params.sort();
  return params.toString();
}
