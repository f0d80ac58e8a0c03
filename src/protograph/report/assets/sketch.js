"use strict";
// Small pictures of graphs, made when they are asked for. Molecules and images come drawn; a plain graph is laid out here
// by stress majorization, always the same way.
const Sketch = (() => {
  const SVG = "http:" + "//www.w3.org/2000/svg";
  const cache = new Map();

  function distances(size, edges) {
    const near = Array.from({ length: size }, () => []);
    for (let i = 0; i < edges.length; i += 2) {
      near[edges[i]].push(edges[i + 1]);
      near[edges[i + 1]].push(edges[i]);
    }
    return near.map((_, start) => {
      const far = new Array(size).fill(0);
      const seen = new Set([start]);
      let front = [start];
      for (let step = 1; front.length; step += 1) {
        const next = [];
        for (const node of front) for (const other of near[node]) if (!seen.has(other)) {
          seen.add(other);
          far[other] = step;
          next.push(other);
        }
        front = next;
      }
      // Parts that no edge joins stay near each other.
      return far.map((d, node) => (d || node === start ? d : 1 + Math.sqrt(size)));
    });
  }

  function start(size, far) {
    // Two nodes far apart span the picture; ties are broken by the order of nodes.
    let a = 0;
    for (let i = 1; i < size; i += 1) if (far[0][i] > far[0][a]) a = i;
    let b = 0;
    for (let i = 1; i < size; i += 1) if (far[a][i] > far[a][b]) b = i;
    return far.map((_, i) => {
      const angle = 2.4 * i;
      return [(far[a][i] - far[b][i]) / 2 + 0.3 * Math.cos(angle), ((i % 2) * 2 - 1) * 0.5 + 0.6 * Math.sin(angle)];
    });
  }

  function layout(graph) {
    const size = graph.k.length;
    if (graph.p) return graph.k.map((_, i) => [graph.p[2 * i], -graph.p[2 * i + 1]]);
    const far = distances(size, graph.e);
    let places = start(size, far);
    const steps = size > 80 ? 60 : 200;
    for (let step = 0; step < steps; step += 1) {
      const before = places;
      let moved = 0;
      places = places.map(([x, y], i) => {
        let weight = 0, sumX = 0, sumY = 0;
        for (let j = 0; j < size; j += 1) if (j !== i) {
          const d = far[i][j], w = 1 / (d * d);
          const dx = x - before[j][0], dy = y - before[j][1];
          const gap = Math.hypot(dx, dy) || 1e-6;
          sumX += w * (before[j][0] + (d * dx) / gap);
          sumY += w * (before[j][1] + (d * dy) / gap);
          weight += w;
        }
        if (!weight) return [x, y];
        const to = [sumX / weight, sumY / weight];
        moved = Math.max(moved, Math.abs(to[0] - x), Math.abs(to[1] - y));
        return to;
      });
      if (moved < 1e-3) break;
    }
    return places;
  }

  function element(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
    made.append(...children);
    return made;
  }

  // What lies behind the marked nodes and the edges between them.
  function halo(at, edges, marks, radius) {
    const own = new Set(marks.filter((node) => at.has(node)));
    const group = element("g", { class: "pg-halos", "stroke-linecap": "round" });
    for (let i = 0; i < edges.length; i += 2) if (own.has(edges[i]) && own.has(edges[i + 1])) {
      const [[a, b], [c, d]] = [at.get(edges[i]), at.get(edges[i + 1])];
      group.append(element("line", { x1: a, y1: b, x2: c, y2: d, "stroke-width": 1.2 * radius }));
    }
    for (const node of own) group.append(element("circle", { cx: at.get(node)[0], cy: at.get(node)[1], r: radius, stroke: "none" }));
    return group;
  }

  function plain(graph, looks, marks) {
    const width = 170, height = 124, pad = 12;
    if (!cache.has(graph)) cache.set(graph, layout(graph));
    const places = cache.get(graph), xs = places.map((p) => p[0]), ys = places.map((p) => p[1]);
    const low = [Math.min(...xs), Math.min(...ys)], span = [Math.max(...xs) - low[0], Math.max(...ys) - low[1]];
    const scale = Math.min(30, (width - 2 * pad) / (span[0] || 1), (height - 2 * pad) / (span[1] || 1));
    const at = new Map(places.map(([x, y], i) => [i, [(x - low[0] - span[0] / 2) * scale + width / 2, (y - low[1] - span[1] / 2) * scale + height / 2]]));
    const radius = Math.max(2.2, Math.min(7, 0.3 * scale));
    const own = marks && marks.length ? new Set(marks) : null;
    const isPale = (...nodes) => own && !nodes.every((node) => own.has(node));
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, class: "pg-picture pg-graph" });
    if (own) svg.append(halo(at, graph.e, marks, radius + 3));
    const lines = { pale: "", full: "" };
    for (let i = 0; i < graph.e.length; i += 2) {
      const [[a, b], [c, d]] = [at.get(graph.e[i]), at.get(graph.e[i + 1])];
      lines[isPale(graph.e[i], graph.e[i + 1]) ? "pale" : "full"] += `M${a.toFixed(1)} ${b.toFixed(1)}L${c.toFixed(1)} ${d.toFixed(1)}`;
    }
    for (const kind of ["pale", "full"]) svg.append(element("path", { d: lines[kind], class: kind, fill: "none", stroke: "currentColor", "stroke-width": "1.3" }));
    graph.k.forEach((kind, node) => {
      const [color, inside, ink] = looks[kind], [x, y] = at.get(node);
      const group = element("g", { class: isPale(node) ? "pale" : "full" }, element("circle", { cx: x, cy: y, r: radius, fill: color, class: "disc" }));
      if (inside && radius > 4.4) group.append(element("text", { x, y: y + 0.38 * radius, "text-anchor": "middle", "font-size": radius * 1.15, "font-weight": "600", fill: ink }, inside));
      svg.append(group);
    });
    return svg;
  }

  function drawn(graph, marks) {
    const svg = document.importNode(new DOMParser().parseFromString(graph.m, "image/svg+xml").documentElement, true);
    if (marks && marks.length) {
      const at = new Map();
      for (let i = 0; i < graph.n.length; i += 3) at.set(graph.n[i], [graph.n[i + 1], graph.n[i + 2]]);
      svg[graph.o ? "append" : "prepend"](halo(at, graph.e, marks, graph.o ? 5 : 11));
    }
    return svg;
  }

  function sentence(words, marks) {
    const text = document.createElement("p"), own = new Set(marks ?? []);
    text.className = "pg-sentence";
    words.forEach((word, node) => {
      const part = document.createElement(own.has(node) ? "mark" : "span");
      part.textContent = word;
      text.append(part, " ");
    });
    return text;
  }

  function draw(graph, looks, marks, words) {
    if (graph.s) return sentence(graph.s, marks);
    const svg = graph.m ? drawn(graph, marks) : plain(graph, looks, marks);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", words);
    return svg;
  }

  return { draw, layout };
})();
