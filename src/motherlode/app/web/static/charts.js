// What a chart shows at the pointer, or where the arrow keys have led: a line there, and the figures in its legend.
// Charts are put in place anew while they are looked at; nothing here belongs to a single one.

const CHART = ".chart svg[data-points]";
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

function tell(svg, place) {
  const points = JSON.parse(svg.dataset.points);
  const at = Math.max(0, Math.min(points.length - 1, place));
  const [x, label, figures] = points[at];
  svg.dataset.at = at;
  const line = svg.querySelector(".pointer");
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  line.setAttribute("visibility", "visible");
  say(svg, `at ${label}`, (said, number) => figures[number]);
}

function say(svg, where, figure) {
  const chart = svg.closest(".chart");
  chart.querySelector("figcaption span").textContent = where;
  chart.querySelectorAll(".legend strong").forEach((said, number) => {
    said.dataset.last ??= said.textContent;
    said.textContent = figure(said, number);
  });
}

function leave(svg) {
  delete svg.dataset.at;
  svg.querySelector(".pointer").setAttribute("visibility", "hidden");
  say(svg, "", (said) => said.dataset.last);
}

function nearest(svg, event) {
  const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
  const far = JSON.parse(svg.dataset.points).map(([at]) => Math.abs(at - x));
  return far.indexOf(Math.min(...far));
}

document.addEventListener("pointermove", (event) => {
  const svg = event.target.closest?.(CHART);
  if (svg) tell(svg, nearest(svg, event));
});
document.addEventListener("pointerout", (event) => {
  const svg = event.target.closest?.(CHART);
  if (svg && !svg.contains(event.relatedTarget)) leave(svg);
});
document.addEventListener("keydown", (event) => {
  const svg = event.target.closest?.(CHART);
  if (!svg || !(event.key in STEPS)) return;
  event.preventDefault();
  tell(svg, Number(svg.dataset.at ?? JSON.parse(svg.dataset.points).length) + STEPS[event.key]);
});
document.addEventListener("focusout", (event) => {
  const svg = event.target.closest?.(CHART);
  if (svg) leave(svg);
});
