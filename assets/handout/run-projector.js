
// Follows projector.js in a standalone file: its one flipbook is the stage.
document[MAIN] = document.getElementById("book").shadowRoot.querySelector(".ts-flipbook");
projector({
  data: JSON.parse(document.getElementById("projector").textContent),
  parentElement: document.getElementById("start-projector"),
});
