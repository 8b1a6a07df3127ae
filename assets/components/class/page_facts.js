// What Python has said about the page, on the document: class_page.js puts it there, and a class's strip reads it.

const SHOWN = Symbol.for("tokensteps.shown"); // the last message about the page
const GIVEN = Symbol.for("tokensteps.given-to-class"); // questions that may be given to a class
const HIDDEN_STEP = Symbol.for("tokensteps.ahead-of-class"); // the step hidden by Predict, for the lecturer's screen
