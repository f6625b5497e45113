// Results follow what is chosen: filters and sliders ask again at once, and the address says what is asked.
import { enliven } from "./app.js";

const form = document.querySelector("#search");
const narrow = document.querySelector("#narrow");
const found = document.querySelector("#found");
const facets = document.querySelector("#facets");
const PAUSE = 120; // milliseconds after the last move of a slider
let asking = null;
let pause = 0;

function asked() {
  const said = new URLSearchParams();
  const ranks = form.ownerDocument.querySelectorAll("input[type=range][form=search]");
  const moved = [...ranks].some((slider) => Number(slider.value) !== Number(slider.dataset.usual));
  for (const [name, value] of new FormData(form)) {
    const rank = name.startsWith("rank_");
    if (value !== "" && (!rank || moved)) said.append(name, value);
  }
  return said;
}

async function show(address, { push = false } = {}) {
  asking?.abort();
  asking = new AbortController();
  found.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${form.dataset.found}?${address}`, { signal: asking.signal });
    if (answer.status === 401) location.reload();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("#found");
    if (fresh === null) return;
    const focus = document.activeElement?.id;
    found.replaceChildren(...fresh.childNodes);
    facets.replaceChildren(...page.querySelector("#facets").childNodes);
    enliven(found);
    if (focus) document.getElementById(focus)?.focus();
    const query = String(address);
    history[push ? "pushState" : "replaceState"](null, "", query ? `?${query}` : location.pathname);
    found.setAttribute("aria-busy", "false");
  } catch (error) {
    if (error.name !== "AbortError") found.setAttribute("aria-busy", "false");
  }
}

function again() {
  clearTimeout(pause);
  pause = setTimeout(() => show(asked()), PAUSE);
}

async function mark(sent, button) {
  const answer = await fetch(sent.action, { method: "POST", body: new FormData(sent, button) });
  if (answer.ok) {
    await show(asked());
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const said = sent.querySelector(".problem") ?? sent.appendChild(document.createElement("span"));
  said.className = "problem";
  said.setAttribute("role", "alert");
  said.textContent = page.querySelector("main .sentence, main p")?.textContent ?? "That did not work.";
}

document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.form !== form || field.id === "q") return;
  if (field.type === "range") field.parentElement.querySelector("output").textContent = Number(field.value);
  again();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  form.querySelector("input[name=like]")?.remove();
  show(asked(), { push: true });
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.mark") || event.defaultPrevented) return;
  event.preventDefault();
  mark(event.target, event.submitter);
});
addEventListener("popstate", () => location.reload());
document.documentElement.classList.add("scripted");
if (!matchMedia("(min-width: 60rem)").matches) narrow.open = false;
