// The charts of a crawl, drawn by Vega-Embed. Its expressions are interpreted and its styles are ours, so that
// the page needs neither eval nor a style element.

const NO_TOPIC = "/";
const MOST = 12; // bars
const BAR = 22; // pixels
const views = new Map();
const drawn = new Map();
let library = null;
let latest = null;
let turn = Promise.resolve();

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function config() {
  const quiet = { labelColor: colour("quiet"), titleColor: colour("quiet"), gridColor: colour("line") };
  const font = getComputedStyle(document.body).fontFamily;
  return {
    font,
    background: "transparent",
    view: { stroke: null },
    axis: { ...quiet, labelFontSize: 11, titleFontSize: 11, domainColor: colour("line"), tickColor: colour("line"), titleFontWeight: "normal" },
    legend: {
      labelColor: colour("ink"),
      labelFontSize: 12,
      orient: "top",
      symbolSize: 200,
      symbolStrokeWidth: 3,
      symbolType: "stroke",
      title: null,
    },
    text: { color: colour("ink") },
  };
}

function number(field, title, more = {}) {
  return { field, type: "quantitative", title, ...more };
}

function lines(what, y, colours) {
  const whole = { format: ",d", tickCount: 6, tickMinStep: 1, grid: false, labelOverlap: true };
  return {
    height: 180,
    mark: { type: "line", interpolate: "monotone", strokeWidth: 2, point: { size: 12 } },
    encoding: {
      x: number("pages", "pages", { axis: whole, scale: { nice: false } }),
      y: number("value", null, { ...y, axis: { tickCount: 5 } }),
      tooltip: [number("pages", "pages", { format: ",d" }), number("value", what, { format: ".2f" })],
      ...colours,
    },
  };
}

function bars(title, rows) {
  return {
    height: BAR * rows.length,
    mark: { type: "bar", cornerRadiusEnd: 2, color: colour("link") },
    encoding: {
      x: number("number", title, { axis: { format: ",d", tickCount: 4, tickMinStep: 1, labelOverlap: true } }),
      y: { field: "name", type: "nominal", sort: null, title: null, axis: { labelLimit: 140, ticks: false } },
      tooltip: [{ field: "name", type: "nominal", title: "of" }, number("number", title, { format: ",d" })],
    },
  };
}

// What each chart shows: rows from what was told, and how they are drawn.
const CHARTS = {
  harvest: {
    rows: (told) =>
      told.harvest.flatMap((one) => [
        { pages: one.pages, value: one.rate, of: "lately" },
        { pages: one.pages, value: one.total, of: "so far" },
      ]),
    spec: () =>
      lines(
        "harvest rate",
        { scale: { domain: [0, 1] } },
        {
          color: {
            field: "of",
            type: "nominal",
            scale: { domain: ["so far", "lately"], range: [colour("link"), colour("warm")] },
          },
        },
      ),
  },
  pace: {
    rows: (told) =>
      told.harvest.filter((one) => one.pace !== null).map((one) => ({ pages: one.pages, value: one.pace })),
    spec: () => lines("pages/s", { scale: { zero: true } }, { color: { value: colour("good") } }),
  },
  topics: { rows: (told) => byTopic(told, "pages"), spec: (rows) => bars("pages", rows) },
  queues: { rows: (told) => byTopic(told, "waiting"), spec: (rows) => bars("URLs", rows) },
  errors: {
    rows: (told) => Object.entries(told.errors).map(([kind, many]) => ({ name: kind || "unknown", number: many })),
    spec: (rows) => bars("URLs", rows),
  },
};

function byTopic(told, what) {
  const rows = told.status.topics.map((one) => ({
    name: one.topic === NO_TOPIC ? "for no topic" : one.topic,
    number: one[what],
  }));
  return rows
    .filter((row) => row.number > 0)
    .sort((one, other) => other.number - one.number)
    .slice(0, MOST);
}

async function load(address) {
  if (!address) return null;
  if (library === null) {
    library = import(address).then(
      () => window.lodeCharts,
      () => null,
    );
  }
  return library;
}

function empty(place) {
  const said = document.createElement("p");
  said.className = "empty";
  said.textContent = "Nothing yet.";
  place.replaceChildren(said);
}

function forget(name) {
  views.get(name)?.view.finalize();
  views.delete(name);
}

async function show(embed, name, rows) {
  const place = document.querySelector(`#chart-${name}`);
  const same = JSON.stringify(rows);
  if (drawn.get(name) === same) return;
  drawn.set(name, same);
  const spec = CHARTS[name].spec(rows);
  if (views.get(name)?.height === spec.height && rows.length > 0) {
    await views.get(name).view.data("rows", rows).runAsync();
    return;
  }
  forget(name);
  if (rows.length === 0) {
    empty(place);
    return;
  }
  const options = { mode: "vega-lite", renderer: "canvas", ast: true, actions: false, defaultStyle: false };
  const made = await embed(
    place,
    { width: "container", ...spec, data: { name: "rows", values: rows } },
    { ...options, config: config(), tooltip: { disableDefaultStyle: true } },
  );
  views.set(name, { view: made.view, height: spec.height });
}

async function drawAll(embed, told) {
  for (const [name, chart] of Object.entries(CHARTS)) await show(embed, name, chart.rows(told));
}

// Drawings take their turns; of several that wait only the latest is made.
export function draw(address, told) {
  latest = told;
  turn = turn.then(async () => {
    if (latest !== told) return;
    const embed = await load(address);
    if (embed === null || embed === undefined) return;
    document.querySelector("#charts").hidden = false;
    await drawAll(embed, told);
  });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const name of [...views.keys()]) forget(name);
  drawn.clear();
  if (latest !== null) draw(document.querySelector("#crawl").dataset.charts, latest);
});
