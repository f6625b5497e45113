// The output of a running job. While the window is hidden the stream is closed, because a browser
// has few connections.

const MAX_LINES = 5000;
const lines = document.querySelector("#lines[data-events]");
let source = null;

function add(output) {
  const atEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 40;
  lines.append(output.map((line) => `${line}\n`).join(""));
  while (lines.childNodes.length > MAX_LINES) lines.firstChild.remove();
  if (atEnd) lines.scrollTop = lines.scrollHeight;
}

function listen() {
  if (source !== null || document.hidden) return;
  let first = true;
  source = new EventSource(lines.dataset.events);
  source.addEventListener("lines", (event) => {
    if (first) lines.replaceChildren();
    first = false;
    add(JSON.parse(event.data));
  });
  source.addEventListener("job", (event) => {
    const state = JSON.parse(event.data).state;
    if (state === "running" || state === "queued") return;
    leave();
    location.reload();
  });
}

function leave() {
  source?.close();
  source = null;
}

if (lines !== null) {
  lines.scrollTop = lines.scrollHeight;
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
  addEventListener("pagehide", leave);
  addEventListener("pageshow", listen);
  listen();
}
