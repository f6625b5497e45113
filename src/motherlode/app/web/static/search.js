// Filters and sliders search again at once, and the address of the page always names the search.
import { enliven } from "./app.js";

const form = document.querySelector("#search");
const narrow = document.querySelector("#narrow");
const results = document.querySelector("#found");
const facets = document.querySelector("#facets");
const PAUSE_MS = 120; // after the last move of a slider
let request = null;
let pause = 0;

function parameters() {
  const filled = new URLSearchParams();
  const ranks = form.ownerDocument.querySelectorAll("input[type=range][form=search]");
  const moved = [...ranks].some((slider) => Number(slider.value) !== Number(slider.dataset.usual));
  for (const [name, value] of new FormData(form)) {
    const rank = name.startsWith("rank_");
    if (value !== "" && (!rank || moved)) filled.append(name, value);
  }
  return filled;
}

async function show(address, { push = false } = {}) {
  request?.abort();
  request = new AbortController();
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${form.dataset.found}?${address}`, { signal: request.signal });
    if (answer.status === 401) location.reload();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("#found");
    if (fresh === null) return;
    const focus = document.activeElement?.id;
    results.replaceChildren(...fresh.childNodes);
    facets.replaceChildren(...page.querySelector("#facets").childNodes);
    enliven(results);
    if (focus) document.getElementById(focus)?.focus();
    const query = String(address);
    history[push ? "pushState" : "replaceState"](null, "", query ? `?${query}` : location.pathname);
    results.setAttribute("aria-busy", "false");
  } catch (error) {
    if (error.name !== "AbortError") results.setAttribute("aria-busy", "false");
  }
}

function searchSoon() {
  clearTimeout(pause);
  pause = setTimeout(() => show(parameters()), PAUSE_MS);
}

async function mark(sent, button) {
  const answer = await fetch(sent.action, { method: "POST", body: new FormData(sent, button) });
  if (answer.ok) {
    await show(parameters());
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problem = sent.querySelector(".problem") ?? sent.appendChild(document.createElement("span"));
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  problem.textContent = page.querySelector("main .sentence, main p")?.textContent ?? "The mark could not be stored.";
}

document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.form !== form || field.id === "q") return;
  if (field.type === "range") field.parentElement.querySelector("output").textContent = Number(field.value);
  searchSoon();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  form.querySelector("input[name=like]")?.remove();
  show(parameters(), { push: true });
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.mark") || event.defaultPrevented) return;
  event.preventDefault();
  mark(event.target, event.submitter);
});
addEventListener("popstate", () => location.reload());
document.documentElement.classList.add("scripted");
if (!matchMedia("(min-width: 60rem)").matches) narrow.open = false;
