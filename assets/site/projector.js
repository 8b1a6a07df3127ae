
// Follows projector.js on a page of a site: where there is a place for its button, the first book is the stage.
const start = document.getElementById("start-projector");
if (start) projector({ data: JSON.parse(document.getElementById("projector").textContent), parentElement: start });
