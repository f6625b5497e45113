// On every page: times in the reader's time zone, and parts that update themselves.

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

// An element with data-live="ADDRESS" shows the page at that address, fetched every data-every seconds
// while the window is visible. data-part: only that part of the page. While a user fills in a field,
// nothing is replaced. data-reload: once an element in it has data-over, the whole page is reloaded.
function inUse(live) {
  const fields = live.querySelectorAll("input, textarea, select");
  const changed = (field) =>
    field instanceof HTMLSelectElement
      ? [...field.options].some((option) => option.selected !== option.defaultSelected && option.index > 0)
      : field.value !== field.defaultValue || field.checked !== field.defaultChecked;
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
        // The server is not reachable; the next turn tries again.
      }
    }
    if (live.isConnected) setTimeout(turn, every);
  }
  setTimeout(turn, every);
}

// Called for the whole page first, then for each part that is added later.
export function enliven(root) {
  localise(root);
  for (const live of root.querySelectorAll("[data-live]")) keep(live);
}

enliven(document);
