// Topics and feedback: load slow parts later, drag topics, choose blocks.

import { localise } from "./app.js";

const RETRY_MS = 1000; // until a busy part is loaded again

// An element with data-later="ADDRESS" shows the part data-part of the page at that address, once it is
// loaded. With data-settled it is on the page from the start. While it has data-busy, it is loaded again.
function inUse(later) {
  const fields = [...later.querySelectorAll("input, textarea, select")];
  const changed = (field) =>
    field instanceof HTMLSelectElement
      ? [...field.options].some((option) => option.selected !== option.defaultSelected && option.index > 0)
      : field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  return later.contains(document.activeElement) || fields.some(changed);
}

async function load(later) {
  let busy = later.hasAttribute("data-busy");
  try {
    const answer = await fetch(later.dataset.later, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = answer.ok ? page.querySelector(later.dataset.part) : null;
    if (part !== null && !inUse(later)) {
      later.replaceChildren(part);
      localise(later);
      busy = part.hasAttribute("data-busy");
    }
  } catch {
    // The server is not reachable; a busy part is loaded again.
  }
  if (busy) setTimeout(() => load(later), RETRY_MS);
}

for (const later of document.querySelectorAll("[data-later]")) {
  if (!later.hasAttribute("data-settled")) load(later);
  else if (later.hasAttribute("data-busy")) setTimeout(() => load(later), RETRY_MS);
}

// A topic that is dropped on another one is moved there by the form on the page.
const move = document.querySelector("#move");
const ROW = "tr[data-topic]";
const ROOT = "1";

function below(row, topic) {
  for (let current = row; current; current = document.querySelector(`tr[data-topic="${current.dataset.parent}"]`)) {
    if (current.dataset.topic === topic) return true;
  }
  return false;
}

function canDrop(goal, dragged) {
  if (dragged === null || goal === null) return false;
  if (goal.closest("thead")) return dragged.dataset.parent !== ROOT;
  return !("others" in goal.dataset) && !below(goal, dragged.dataset.topic) && dragged.dataset.parent !== goal.dataset.topic;
}

function makeDraggable(table) {
  let dragged = null;
  const goalOf = (event) => event.target.closest(`${ROW}, thead`);
  const clear = () => table.querySelectorAll(".over").forEach((row) => row.classList.remove("over"));
  for (const row of table.querySelectorAll(ROW)) row.draggable = true;
  table.addEventListener("dragstart", (event) => {
    dragged = event.target.closest(ROW);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged?.dataset.topic ?? "");
  });
  table.addEventListener("dragover", (event) => {
    clear();
    const goal = goalOf(event);
    if (!canDrop(goal, dragged)) return;
    event.preventDefault();
    goal.classList.add("over");
  });
  table.addEventListener("dragend", () => {
    clear();
    dragged = null;
  });
  table.addEventListener("drop", (event) => {
    const goal = goalOf(event);
    if (!canDrop(goal, dragged)) return;
    event.preventDefault();
    move.elements.topic.value = dragged.dataset.topic;
    move.elements.parent.value = goal.dataset.topic ?? ROOT;
    move.requestSubmit();
  });
}

if (move !== null) {
  const table = document.querySelector(ROW)?.closest("table");
  if (table) makeDraggable(table);
  document.querySelector("#drag-hint")?.removeAttribute("hidden");
}

// Buttons choose several blocks; the shift key chooses all from the last clicked block on.
const trim = document.querySelector("#trim");

if (trim !== null) {
  const boxes = [...trim.querySelectorAll("input[name=block]")];
  let last = null;
  trim.querySelector("#choose")?.removeAttribute("hidden");
  trim.addEventListener("click", (event) => {
    const which = event.target.dataset.choose;
    if (which) {
      for (const box of boxes) box.checked = which === "all" || (which === "main" && box.parentElement.classList.contains("main"));
    }
    const at = boxes.indexOf(event.target);
    if (at < 0) return;
    if (event.shiftKey && last !== null) {
      for (const box of boxes.slice(Math.min(at, last), Math.max(at, last) + 1)) box.checked = boxes[at].checked;
    }
    last = at;
  });
}

// Choosing a topic for a page also chooses to move it.
document.addEventListener("change", (event) => {
  if (event.target.matches(".goal select")) event.target.closest(".goal").querySelector("input").checked = true;
});
