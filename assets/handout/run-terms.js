
// Follows terms.js in a file that stands by itself.
terms({ data: JSON.parse(document.getElementById("terms").textContent) });
