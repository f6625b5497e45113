// Search over the pages of this site. The index lies in search/, as scripts that call lode.part: a page that was
// opened from a file system may load those, though it may fetch nothing. Words are taken apart as the index
// was made: motherlode/export/site/lookup.py.
"use strict";

const lode = (() => {
  const LONG = 40; // characters of a word
  const MOST = 10; // words of a query
  const PREFIX = 3; // letters from which on a word stands for all that begin so
  const SHOWN = 20; // results on a page
  const IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff";
  const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
  const RUN = new RegExp(`[${IDEOGRAPHS}]+|[^${IDEOGRAPHS}]+`, "gu");
  const DENSE = new RegExp(`^[${IDEOGRAPHS}]`, "u");
  const EXACT = 1, LONGER = 0.5, SHORTER = 0.4; // what a match counts

  const parts = new Map();

  // What every part of the index calls.
  function part(kind, number, data) {
    parts.set(`${kind}-${number}`, data);
  }

  function fold(text) {
    return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().normalize("NFKC");
  }

  function words(text) {
    const found = [];
    for (const word of fold(text).match(WORD) || []) {
      for (const run of word.match(RUN)) {
        const letters = Array.from(run);
        if (letters.length > 1 && DENSE.test(run)) {
          for (let at = 1; at < letters.length; at++) found.push(letters[at - 1] + letters[at]);
        } else {
          found.push(letters.slice(0, LONG).join(""));
        }
      }
    }
    return found;
  }

  // The words to look up: each once, and none that nearly every page has, unless there is no other.
  function asked(query, silent) {
    const all = [...new Set(words(query))].slice(0, MOST);
    const saying = all.filter((word) => !silent.includes(word));
    return saying.length ? saying : all;
  }

  // By code points, as the index is sorted.
  function compare(one, other) {
    const a = Array.from(one), b = Array.from(other);
    for (let at = 0; at < a.length && at < b.length; at++) {
      if (a[at] !== b[at]) return a[at].codePointAt(0) - b[at].codePointAt(0);
    }
    return a.length - b.length;
  }

  // What a word of the index counts for a word of a query: nothing, unless one begins with the other.
  function likeness(word, sought) {
    if (word === sought) return EXACT;
    if (sought.length >= PREFIX || DENSE.test(sought)) {
      if (word.startsWith(sought)) return LONGER;
    }
    const cut = sought.length - word.length;
    return cut > 0 && cut <= 2 && word.length >= PREFIX && sought.startsWith(word) ? SHORTER : 0;
  }

  // The parts in which there may be words like this one.
  function partsFor(sought, firsts) {
    const shortest = sought.length - 2 >= PREFIX ? sought.slice(0, -2) : sought.slice(0, PREFIX);
    const found = [];
    for (let number = 0; number < firsts.length; number++) {
      const beyond = number + 1 < firsts.length && compare(firsts[number + 1], shortest) <= 0;
      const before = compare(firsts[number], sought) > 0 && !firsts[number].startsWith(sought);
      if (!beyond && !before) found.push(number);
    }
    return found;
  }

  // Pages by number, with what a word counts there.
  function* unpacked(packed) {
    let page = 0;
    for (const one of packed.split(" ")) {
      page += parseInt(one.slice(0, -1), 16);
      yield [page, Number(one.slice(-1))];
    }
  }

  // The score of every page that has a word like this one; load gives the data of a part.
  async function scores(sought, about, load) {
    const found = new Map();
    for (const entries of await Promise.all(partsFor(sought, about.firsts).map((at) => load("words", at)))) {
      for (const [word, packed] of entries) {
        const like = likeness(word, sought);
        if (!like) continue;
        const pages = [...unpacked(packed)];
        const rarity = Math.log(1 + about.pages / pages.length);
        for (const [page, worth] of pages) {
          found.set(page, Math.max(found.get(page) || 0, like * rarity * worth));
        }
      }
    }
    return found;
  }

  // The numbers of the pages that have all words, best first; or, if there is none, of those that have some.
  async function answer(query, topic, about, load) {
    const sought = asked(query, about.silent);
    const each = await Promise.all(sought.map((word) => scores(word, about, load)));
    const [first, end] = topic === null ? [0, about.pages] : about.topics[topic].slice(2);
    const sums = new Map();
    for (const found of each) {
      for (const [page, score] of found) {
        if (page < first || page >= end) continue;
        const [number, sum] = sums.get(page) || [0, 0];
        sums.set(page, [number + 1, sum + score]);
      }
    }
    const most = [...sums.values()].reduce((best, [number]) => Math.max(best, number), 0);
    const ranked = [...sums].filter(([, [number]]) => number === most);
    ranked.sort(([a, [, x]], [b, [, y]]) => y - x || a - b);
    return { words: sought, whole: most === sought.length, pages: ranked.map(([page]) => page) };
  }

  // From here on, only in a browser.

  const coming = new Map();

  function load(kind, number) {
    const name = `${kind}-${number}`;
    if (!coming.has(name)) {
      coming.set(name, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = kind === "about" ? "search/about.js" : `search/${name}.js`;
        script.onload = () => done(parts.get(name));
        script.onerror = () => failed(new Error(script.src));
        document.head.append(script);
      }));
    }
    return coming.get(name);
  }

  function make(tag, said = {}, ...inside) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(said)) if (value) made.setAttribute(name, value);
    made.append(...inside);
    return made;
  }

  // A text with marks on what was sought.
  function marked(text, sought) {
    const made = document.createDocumentFragment();
    let end = 0;
    for (const found of text.matchAll(WORD)) {
      if (!words(found[0]).some((word) => sought.some((one) => likeness(word, one)))) continue;
      made.append(text.slice(end, found.index), make("mark", {}, found[0]));
      end = found.index + found[0].length;
    }
    made.append(text.slice(end));
    return made;
  }

  // A probability with two digits, cut and not rounded, as the pages show it.
  function figure(probability) {
    const percent = Math.floor(100 * probability + 1e-9);
    return ((probability === 1 ? percent : Math.min(percent, 99)) / 100).toFixed(2);
  }

  function result(page, sought, about) {
    const [title, url, said, host, file, language, fetched, , topic, probability, certainty] = page;
    const safe = /^https?:\/\//i.test(url);
    const link = safe
      ? make("a", { href: url, rel: "nofollow noopener noreferrer", lang: language, dir: "auto" })
      : make("span", { dir: "auto" });
    link.append(marked(title, sought));
    const day = new Date(fetched * 1000).toISOString().slice(0, 10);
    const [path, name] = about.topics[topic];
    const sureness = certainty === null
      ? []
      : [" · ", make("span", { class: "certainty" }, `${certainty} (${figure(probability)})`)];
    const facts = make("p", { class: "facts" },
      make("a", { href: `sites/${file}.html` }, make("bdi", {}, host)), " · ",
      make("time", { datetime: day }, day), ...sureness, " · ",
      make("a", { href: `topics/${name}.html`, dir: "auto" }, path.split("/").join(" / ")));
    const text = make("p", { class: "said", lang: language, dir: "auto" }, marked(said, sought));
    return make("li", {}, make("h2", {}, link), said ? text : "", facts);
  }

  function turning(from, number, asking) {
    const made = make("nav", { class: "turning", "aria-label": "Pages of results" });
    const to = (start, words, rel) => {
      const changed = new URLSearchParams(asking);
      changed.set("from", start);
      made.append(make("a", { href: `search.html?${changed}`, rel }, words));
    };
    if (from > 0) to(Math.max(0, from - SHOWN), "Previous", "prev");
    made.append(make("span", {}, `${from + 1} to ${Math.min(from + SHOWN, number)} of ${number.toLocaleString("en")}`));
    if (from + SHOWN < number) to(from + SHOWN, "Next", "next");
    return made;
  }

  function counted(found) {
    const number = found.pages.length;
    if (!number) return "No page has any of these words.";
    const pages = number === 1 ? "1 page" : `${number.toLocaleString("en")} pages`;
    return found.whole ? `${pages} found.` : `No page has all the words; ${pages} with most of them.`;
  }

  async function show(asking) {
    const told = document.getElementById("told"), place = document.getElementById("found");
    const query = (asking.get("q") || "").slice(0, 200);
    if (!query.trim()) return;
    told.textContent = "Searching …";
    try {
      const about = await load("about", 0);
      const wanted = asking.get("topic");
      const topic = wanted && /^\d+$/.test(wanted) && about.topics[wanted] ? Number(wanted) : null;
      const found = await answer(query, topic, about, load);
      const asked = parseInt(asking.get("from"), 10);
      const from = asked > 0 && asked < found.pages.length ? asked : 0;
      const numbers = found.pages.slice(from, from + SHOWN);
      const pages = await Promise.all(numbers.map(async (page) =>
        (await load("pages", Math.floor(page / about.part)))[page % about.part]));
      told.textContent = counted(found);
      if (!pages.length) return;
      const list = make("ol", { class: "cards", start: String(from + 1) });
      list.append(...pages.map((page) => result(page, found.words, about)));
      place.replaceChildren(list, turning(from, found.pages.length, asking));
    } catch (error) {
      told.textContent = `A part of the index could not be loaded (${error.message}).`;
    }
  }

  function start() {
    const asking = new URLSearchParams(location.search);
    for (const name of ["q", "topic"]) {
      if (asking.has(name)) document.getElementById(name).value = asking.get(name);
    }
    if (asking.get("q")) document.title = `${asking.get("q").slice(0, 80)} · ${document.title}`;
    else document.getElementById("q").focus();
    return show(asking);
  }

  return { part, words, answer, parts, start };
})();

if (typeof document !== "undefined") lode.start();
if (typeof module !== "undefined") module.exports = lode;
