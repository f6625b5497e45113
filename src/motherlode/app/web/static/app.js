// What every page has: moments in the reader's own time, and parts that keep themselves up to date.

const SECOND = 1000;

export function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.title = time.textContent;
      time.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
  }
}

// An element with data-live="ADDRESS" shows what is there, looked at again every data-every seconds while the
// window is seen. data-part: only that part of what is there. A person who is in the midst of it is not disturbed.
// data-reload: once something in it is marked data-over, the whole page is shown anew.
function inUse(live) {
  const fields = live.querySelectorAll("input, textarea");
  const changed = (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  return live.contains(document.activeElement) || [...fields].some(changed);
}

async function renew(live) {
  const answer = await fetch(live.dataset.live, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const text = await answer.text();
  if (text === live.lastText || inUse(live)) return;
  live.lastText = text;
  const page = new DOMParser().parseFromString(text, "text/html");
  const part = live.dataset.part ? page.querySelector(live.dataset.part) : page.body;
  if (part === null) return;
  live.replaceChildren(...(live.dataset.part ? [part] : part.childNodes));
  localise(live);
  if ("reload" in live.dataset && live.querySelector("[data-over]") !== null) location.reload();
}

function keep(live) {
  const every = Number(live.dataset.every || 5) * SECOND;
  async function turn() {
    if (!document.hidden) {
      try {
        await renew(live);
      } catch {
        // The server is away; it is asked again.
      }
    }
    if (live.isConnected) setTimeout(turn, every);
  }
  setTimeout(turn, every);
}

// What is put into a page afterwards is treated like what was there from the beginning.
export function enliven(root) {
  localise(root);
  for (const live of root.querySelectorAll("[data-live]")) keep(live);
}

enliven(document);
