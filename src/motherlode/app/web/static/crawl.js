// The page of a running crawl: a stream of events says when the parts of the page have to be updated.
// While the window is hidden the stream is closed, because a browser has few connections.

import { localise } from "./app.js";

const crawl = document.querySelector("#crawl");
const PARTS = ["controls", "figures", "charts", "judgements", "topics", "errors"].map((name) => `crawl-${name}`);
const UNDER_WAY = ["queued", "running", "stopping"];
let source = null;
let renewing = false;
let again = false;

// An unchanged part is not replaced, so that no user loses the button under the finger.
function put(page) {
  for (const name of PARTS) {
    const old = document.getElementById(name);
    const part = page.getElementById(name);
    if (part === null || old.lastHtml === part.innerHTML) continue;
    old.lastHtml = part.innerHTML;
    old.replaceChildren(...part.childNodes);
    localise(old);
  }
}

async function renew() {
  if (renewing) {
    again = true;
    return;
  }
  renewing = true;
  do {
    again = false;
    try {
      const answer = await fetch(crawl.dataset.now, { headers: { Accept: "text/html" } });
      if (answer.ok) put(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // The server is not reachable; the stream reconnects when it is back.
    }
  } while (again);
  renewing = false;
}

function follow(progress) {
  const busy = UNDER_WAY.includes(progress.crawl.state) || progress.crawl.writing !== null;
  document.querySelector("#start").hidden = busy;
  renew();
}

function listen() {
  if (source !== null || document.hidden) return;
  source = new EventSource(crawl.dataset.events);
  source.addEventListener("progress", (event) => follow(JSON.parse(event.data)));
}

function leave() {
  source?.close();
  source = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
addEventListener("pagehide", leave);
addEventListener("pageshow", listen);
listen();
