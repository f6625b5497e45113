// A chart shows a line at the pointer, or where the arrow keys have led, and its figures in the legend.
// Charts are replaced while they are shown, so listeners are on the document, not on a chart.

const CHART = ".chart svg[data-points]";
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

function point(svg, place) {
  const points = JSON.parse(svg.dataset.points);
  const at = Math.max(0, Math.min(points.length - 1, place));
  const [x, label, figures] = points[at];
  svg.dataset.at = at;
  const line = svg.querySelector(".pointer");
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  line.setAttribute("visibility", "visible");
  setLegend(svg, `at ${label}`, (_value, number) => figures[number]);
}

function setLegend(svg, where, figure) {
  const chart = svg.closest(".chart");
  chart.querySelector("figcaption span").textContent = where;
  chart.querySelectorAll(".legend strong").forEach((value, number) => {
    value.dataset.last ??= value.textContent;
    value.textContent = figure(value, number);
  });
}

function leave(svg) {
  delete svg.dataset.at;
  svg.querySelector(".pointer").setAttribute("visibility", "hidden");
  setLegend(svg, "", (value) => value.dataset.last);
}

function nearest(svg, event) {
  const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
  const distances = JSON.parse(svg.dataset.points).map(([at]) => Math.abs(at - x));
  return distances.indexOf(Math.min(...distances));
}

document.addEventListener("pointermove", (event) => {
  const svg = event.target.closest?.(CHART);
  if (svg) point(svg, nearest(svg, event));
});
document.addEventListener("pointerout", (event) => {
  const svg = event.target.closest?.(CHART);
  if (svg && !svg.contains(event.relatedTarget)) leave(svg);
});
document.addEventListener("keydown", (event) => {
  const svg = event.target.closest?.(CHART);
  if (!svg || !(event.key in STEPS)) return;
  event.preventDefault();
  point(svg, Number(svg.dataset.at ?? JSON.parse(svg.dataset.points).length) + STEPS[event.key]);
});
document.addEventListener("focusout", (event) => {
  const svg = event.target.closest?.(CHART);
  if (svg) leave(svg);
});
