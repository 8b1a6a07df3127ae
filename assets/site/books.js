
// Follows flipbook.js on a page of a site: the frames of each book lie behind it, compressed. After its #, the address
// has the step of the first book, or of another one: #7, #2.7.
const books = [...document.querySelectorAll(".book")];
const inAddress = () => /^#(?:(\d{1,3})\.)?(\d{1,6})$/.exec(location.hash)?.slice(1).map((text) => Number(text ?? 1));
const boxOf = (book) => book.shadowRoot.querySelector(".ts-flipbook");

function write(index, step) {
  const hash = index ? `#${index + 1}.${step}` : `#${step}`;
  try { history.replaceState(null, "", hash); } catch { /* a sandboxed frame has no history */ }
}
function open(book, index) {
  const [number, step] = inAddress() ?? [];
  const head = new TextEncoder().encode(`${JSON.stringify(number === index + 1 ? { seek: [step, 1] } : {})}\n`);
  const text = book.parentElement.querySelector("script").textContent.trim();
  const frames = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  flipbook({
    data: new Uint8Array([...head, ...frames]),
    parentElement: book.shadowRoot,
    setStateValue: (_name, [, at]) => write(index, at),
  });
}
books.forEach(open);
document[MAIN] = boxOf(books[0]); // the keys are its own until another one is touched
addEventListener("hashchange", () => { // a link on the page
  const [number, step] = inAddress() ?? [];
  if (books[number - 1]) boxOf(books[number - 1]).dispatchEvent(new CustomEvent("tokensteps:go", { detail: { step } }));
});
