// In a notebook's frame: the page lies in it compressed, as the notebook's file keeps it.
const packed = Uint8Array.from(atob(document.querySelector("script").textContent), (one) => one.charCodeAt(0));
const page = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
document.body.innerHTML = await new Response(page).text();
