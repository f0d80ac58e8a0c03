"use strict";
// Graphs drawn from their kinds and edges alone: laid out by stress majorization, always the same way.
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

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function draw(graph, looks, marks, words) {
    const width = 150, height = 112;
    if (!cache.has(graph)) cache.set(graph, layout(graph));
    const places = cache.get(graph);
    const xs = places.map((p) => p[0]), ys = places.map((p) => p[1]);
    const low = [Math.min(...xs), Math.min(...ys)], span = [Math.max(...xs) - low[0], Math.max(...ys) - low[1]];
    const scale = Math.min(30, (width - 20) / (span[0] || 1), (height - 20) / (span[1] || 1));
    const at = places.map(([x, y]) => [(x - low[0] - span[0] / 2) * scale + width / 2, (y - low[1] - span[1] / 2) * scale + height / 2]);
    const radius = Math.max(2, Math.min(7, 0.3 * scale));
    const own = marks && marks.length ? new Set(marks) : null;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": words });
    let pale = "", full = "";
    for (let i = 0; i < graph.e.length; i += 2) {
      const [u, v] = [graph.e[i], graph.e[i + 1]];
      const line = `M${at[u][0].toFixed(1)} ${at[u][1].toFixed(1)}L${at[v][0].toFixed(1)} ${at[v][1].toFixed(1)}`;
      if (own && !(own.has(u) && own.has(v))) pale += line; else full += line;
    }
    svg.append(element("path", { d: pale, class: "edge pale", "stroke-width": 1.2 }), element("path", { d: full, class: "edge", "stroke-width": 1.5 }));
    graph.k.forEach((kind, node) => {
      const [color, inside, ink] = looks[kind];
      const group = element("g", { class: own && !own.has(node) ? "node pale" : "node" });
      group.append(element("circle", { cx: at[node][0].toFixed(1), cy: at[node][1].toFixed(1), r: radius.toFixed(1), fill: color }));
      if (inside && radius > 4.4) {
        const text = element("text", { x: at[node][0].toFixed(1), y: at[node][1].toFixed(1), "font-size": (radius * 1.15).toFixed(1), fill: ink });
        text.textContent = inside;
        group.append(text);
      }
      svg.append(group);
    });
    return svg;
  }

  return { draw, layout };
})();
