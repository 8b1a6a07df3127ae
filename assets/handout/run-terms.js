
// Follows terms.js in a standalone file.
terms({ data: JSON.parse(document.getElementById("terms").textContent) });
