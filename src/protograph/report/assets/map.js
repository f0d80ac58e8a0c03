"use strict";
// The map of all graphs: a canvas with a lasso, zoom, and a point at a time for the keyboard.
const GraphMap = (() => {
  // Okabe and Ito's colours, then three of Tol's: told apart under every colour blindness.
  const COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#332288", "#882255", "#999933"];
  const NONE = "#9aa3b0";
  const MOST_LISTED = 500;
  let data, points, canvas, context, tip, view, size;
  let colour = "class", chosen = null, at = -1, lasso = null, dragged = null, waiting = false;

  const kinds = {
    class: () => ({ of: points.prediction, names: data.classes.map((name, number) => ({ name, card: document.getElementById(`class-${number}`) ? `class-${number}` : "" })), none: "" }),
    cluster: () => ({ of: points.cluster, names: points.clusters, none: "in no cluster" }),
    reason: () => ({ of: points.reason, names: points.reasons.map((one) => ({ name: one.words, card: one.card })), none: "no reason holds" }),
    parting: () => ({ of: points.parting, names: [{ name: "rule and model agree" }, { name: "no reason of its class holds" }, { name: "a reason of another class holds too" }], none: "" }),
  };

  const partingColors = ["#9aa3b0", "#D55E00", "#0072B2"];
  const lighter = (hex) => `#${[1, 3, 5].map((at) => Math.round(parseInt(hex.slice(at, at + 2), 16) * 0.7 + 255 * 0.3).toString(16).padStart(2, "0")).join("")}`;
  // Dark colours are not seen on a dark page.
  const isDark = () => getComputedStyle(document.documentElement).colorScheme === "dark";
  const colorOf = (number) => (isDark() ? lighter(plainColor(number)) : plainColor(number));
  const plainColor = (number) => (number < 0 ? NONE : colour === "parting" ? partingColors[number] : COLORS[number % COLORS.length]);

  function fit() {
    // A few graphs far away do not press all others into a corner; "moves the map" leads there.
    const ends = (values) => { const sorted = [...values].sort((a, b) => a - b), cut = Math.floor(sorted.length / 250); return [sorted[cut], sorted[sorted.length - 1 - cut]]; };
    const [lowX, highX] = ends(points.x), [lowY, highY] = ends(points.y);
    const scale = 0.92 * Math.min(size[0] / (highX - lowX || 1), size[1] / (highY - lowY || 1));
    view = { scale, x: (lowX + highX) / 2, y: (lowY + highY) / 2 };
  }

  const toScreen = (i) => [(points.x[i] - view.x) * view.scale + size[0] / 2, size[1] / 2 - (points.y[i] - view.y) * view.scale];

  function resize() {
    const ratio = devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    size = [box.width, box.height];
    canvas.width = box.width * ratio;
    canvas.height = box.height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (!view) fit();
    request();
  }

  function request() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function draw() {
    const { of } = kinds[colour]();
    const style = getComputedStyle(document.documentElement);
    context.clearRect(0, 0, ...size);
    const radius = Math.max(1.6, Math.min(4.5, 260 / Math.sqrt(points.x.length) / 2)) * Math.min(2, Math.max(1, view.scale * 6));
    const groups = new Map(), colors = new Map();
    of.forEach((number, i) => {
      if (!colors.has(number)) colors.set(number, colorOf(number));
      const key = colors.get(number) + (chosen && !chosen.has(i) ? "pale" : "");
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(i);
    });
    for (const [key, members] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
      context.fillStyle = key.replace("pale", "");
      context.globalAlpha = key.endsWith("pale") ? 0.12 : 0.72;
      context.beginPath();
      for (const i of members) {
        const [x, y] = toScreen(i);
        if (x < -9 || y < -9 || x > size[0] + 9 || y > size[1] + 9) continue;
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 7);
      }
      context.fill();
    }
    context.globalAlpha = 1;
    const ink = style.getPropertyValue("--ink"), back = style.getPropertyValue("--card");
    for (const mark of points.marks) marker(...toScreen(mark.index), mark.source, ink, back);
    if (at >= 0) {
      const [x, y] = toScreen(at);
      context.strokeStyle = ink; context.lineWidth = 2.5;
      context.beginPath(); context.arc(x, y, radius + 5, 0, 7); context.stroke();
    }
    if (lasso) {
      context.strokeStyle = style.getPropertyValue("--accent"); context.lineWidth = 2; context.setLineDash([5, 4]);
      context.beginPath(); lasso.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y))); context.stroke();
      context.setLineDash([]);
    }
  }

  function marker(x, y, isSource, ink, back) {
    context.beginPath();
    const spikes = isSource ? 10 : 4, outer = isSource ? 10 : 7;
    for (let k = 0; k < spikes; k += 1) {
      const r = isSource && k % 2 ? outer / 2.3 : outer, angle = -Math.PI / 2 + (2 * Math.PI * k) / spikes;
      context[k ? "lineTo" : "moveTo"](x + r * Math.cos(angle), y + r * Math.sin(angle));
    }
    context.closePath();
    context.fillStyle = isSource ? "#FFD24A" : back;
    context.strokeStyle = ink; context.lineWidth = 1.6;
    context.fill(); context.stroke();
  }

  function nearest(x, y, most = 12) {
    let best = -1, least = most * most;
    for (let i = 0; i < points.x.length; i += 1) {
      const [a, b] = toScreen(i), gap = (a - x) ** 2 + (b - y) ** 2;
      if (gap < least) { least = gap; best = i; }
    }
    return best;
  }

  function cardOf(i) {
    const mark = points.marks.find((one) => one.index === i);
    if (mark) return mark.card;
    return points.cluster[i] >= 0 ? points.clusters[points.cluster[i]].card : "";
  }

  function say(i, x, y) {
    at = i;
    request();
    tip.hidden = i < 0;
    if (i < 0) return;
    tip.replaceChildren();
    if (data.graphs[i]) tip.append(Sketch.draw(data.graphs[i], data.looks, null, Cards.title(i)));
    const lines = [Cards.title(i), `predicted ${Cards.certainty(i)}`];
    if (points.label.length) lines.push(`label ${data.classes[points.label[i]] ?? points.label[i]}`);
    if (points.reason[i] >= 0) lines.push(points.reasons[points.reason[i]].words.slice(0, 120));
    if (cardOf(i)) lines.push("click: the card of its cluster");
    for (const line of lines) {
      const part = document.createElement("div");
      part.textContent = line;
      tip.append(part);
    }
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(innerWidth - box.width - 8, x + 14))}px`;
    tip.style.top = `${Math.max(8, y + 16 + box.height > innerHeight ? y - box.height - 12 : y + 16)}px`;
  }

  function go(i) {
    const card = i >= 0 && cardOf(i);
    if (!card) return;
    tip.hidden = true;
    Cards.show(card);
    location.hash = card;
  }

  function inside(line, x, y) {
    let is = false;
    for (let i = 0, j = line.length - 1; i < line.length; j = i, i += 1) {
      const [a, b] = line[i], [c, d] = line[j];
      if (b > y !== d > y && x < ((c - a) * (y - b)) / (d - b) + a) is = !is;
    }
    return is;
  }

  function pick(line) {
    const members = points.x.map((_, i) => i).filter((i) => inside(line, ...toScreen(i)));
    chosen = members.length ? new Set(members) : null;
    list(members);
    request();
  }

  function list(members) {
    const place = document.getElementById("members");
    place.replaceChildren();
    if (!members.length) return;
    const head = document.createElement("h3");
    head.textContent = `${members.length.toLocaleString("en")} graphs in the lasso${members.length > MOST_LISTED ? `, the first ${MOST_LISTED} listed` : ""}`;
    const clear = document.createElement("button");
    clear.type = "button"; clear.textContent = "Clear";
    clear.addEventListener("click", () => { chosen = null; list([]); request(); canvas.focus(); });
    const wide = document.createElement("div"), table = document.createElement("table");
    wide.className = "wide";
    wide.tabIndex = 0;
    wide.setAttribute("role", "group");
    wide.setAttribute("aria-label", "Graphs in the lasso");
    const names = ["Graph", "Prediction", "p", ...(points.label.length ? ["Label"] : []), "Reason"];
    const row = (cells, kind) => {
      const made = document.createElement("tr");
      cells.forEach((text) => { const cell = document.createElement(kind); cell.textContent = text; made.append(cell); });
      return made;
    };
    const top = document.createElement("thead"), body = document.createElement("tbody");
    top.append(row(names, "th"));
    for (const i of members.slice(0, MOST_LISTED)) {
      const reason = points.reason[i] < 0 ? "none" : points.reasons[points.reason[i]].words.slice(0, 100);
      body.append(row([Cards.title(i), data.classes[points.prediction[i]], (points.probability[i] / 1000).toFixed(3),
        ...(points.label.length ? [data.classes[points.label[i]] ?? points.label[i]] : []), reason], "td"));
    }
    table.append(top, body);
    wide.append(table);
    place.append(head, clear, wide);
  }

  function legend() {
    const { of, names, none } = kinds[colour](), counts = new Map();
    for (const number of of) counts.set(number, (counts.get(number) ?? 0) + 1);
    const place = document.getElementById("map-legend");
    place.replaceChildren();
    for (const number of [...counts.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b)) {
      const item = document.createElement("li"), dot = document.createElement("span"), one = names[number] ?? { name: none };
      dot.className = "dot";
      dot.style.background = colorOf(number);
      const text = `${one.name.length > 70 ? `${one.name.slice(0, 69)}…` : one.name} (${counts.get(number).toLocaleString("en")})`;
      if (one.card) {
        const link = document.createElement("a");
        link.href = `#${one.card}`; link.textContent = text;
        link.addEventListener("click", () => Cards.show(one.card));
        item.append(dot, link);
      } else item.append(dot, text);
      place.append(item);
    }
  }

  function zoom(factor, x = size[0] / 2, y = size[1] / 2) {
    const before = [(x - size[0] / 2) / view.scale + view.x, (size[1] / 2 - y) / view.scale + view.y];
    view.scale *= factor;
    view.x = before[0] - (x - size[0] / 2) / view.scale;
    view.y = before[1] - (size[1] / 2 - y) / view.scale;
    request();
  }

  function step(dx, dy) {
    if (at < 0) { at = nearest(size[0] / 2, size[1] / 2, 1e6); }
    const [x, y] = toScreen(at);
    let best = at, least = Infinity;
    for (let i = 0; i < points.x.length; i += 1) {
      const [a, b] = toScreen(i), along = (a - x) * dx + (b - y) * dy, across = Math.abs((a - x) * dy - (b - y) * dx);
      const gap = along + 2 * across;
      if (along > 3 && gap < least) { least = gap; best = i; }
    }
    const box = canvas.getBoundingClientRect(), [a, b] = toScreen(best);
    say(best, box.left + a, box.top + b);
  }

  function keys(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (moves[event.key]) step(...moves[event.key]);
    else if (event.key === "Enter") go(at);
    else if (event.key === "+") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "Escape") { chosen = null; list([]); say(-1); }
    else return;
    event.preventDefault();
  }

  function pointer() {
    const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      dragged = { from: place(event), view: { ...view }, far: 0 };
      if (document.querySelector("[name=drag]:checked").value === "lasso") lasso = [dragged.from];
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (!dragged) { say(nearest(x, y), event.clientX, event.clientY); return; }
      dragged.far = Math.max(dragged.far, Math.hypot(x - dragged.from[0], y - dragged.from[1]));
      if (lasso) lasso.push([x, y]);
      else view = { ...view, x: dragged.view.x - (x - dragged.from[0]) / view.scale, y: dragged.view.y + (y - dragged.from[1]) / view.scale };
      request();
    });
    canvas.addEventListener("pointerup", (event) => {
      const line = lasso, far = dragged ? dragged.far : 0;
      lasso = null; dragged = null;
      if (far < 5) go(nearest(...place(event)));
      else if (line) pick(line);
      request();
    });
    canvas.addEventListener("pointerleave", () => { if (!dragged) say(-1); });
    canvas.addEventListener("wheel", (event) => {
      // A page scrolls by the wheel alone.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), ...place(event));
    }, { passive: false });
  }

  function begin(all) {
    data = all;
    points = data.points;
    canvas = document.getElementById("points");
    if (!points || !canvas) return;
    context = canvas.getContext("2d");
    tip = document.getElementById("tip");
    for (const radio of document.querySelectorAll("[name=colour]")) radio.addEventListener("change", () => { colour = radio.value; legend(); request(); });
    pointer();
    canvas.addEventListener("keydown", keys);
    canvas.addEventListener("blur", () => say(-1));
    document.getElementById("zoom-in").addEventListener("click", () => zoom(1.4));
    document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
    document.getElementById("zoom-all").addEventListener("click", () => { fit(); request(); });
    new ResizeObserver(resize).observe(canvas);
    resize();
    legend();
  }

  return { begin, draw, redraw: () => { if (points && canvas) { legend(); request(); } } };
})();
