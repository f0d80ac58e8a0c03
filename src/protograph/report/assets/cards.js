"use strict";
// Cards: examples are drawn when a card opens, counterparts light up together, patterns are copied as text.
const Cards = (() => {
  let data;

  function title(index) {
    const points = data.points;
    if (!points) return `graph ${index}`;
    return points.name[index] || `graph ${points.place[index]}`;
  }

  function certainty(index) {
    const points = data.points;
    return points ? `${data.classes[points.prediction[index]]}, p ${(points.probability[index] / 1000).toFixed(3)}` : "";
  }

  function drawing(index, marks) {
    if (data.graphs[index]) return Sketch.draw(data.graphs[index], data.looks, marks, title(index));
    const words = document.createElement("p");
    words.className = "hint";
    words.textContent = "not drawn";
    return words;
  }

  function figure(index, marks) {
    const made = document.createElement("figure");
    const caption = document.createElement("figcaption");
    const name = document.createElement("span"), chance = document.createElement("span");
    name.textContent = name.title = title(index);
    chance.textContent = data.points ? `p ${(data.points.probability[index] / 1000).toFixed(2)}` : "";
    caption.append(name, chance);
    made.append(drawing(index, marks), caption);
    return made;
  }

  function open(details) {
    const card = data.cards[details.dataset.card];
    if (!card || details.dataset.drawn) return;
    details.dataset.drawn = "yes";
    for (const place of details.querySelectorAll("[data-examples]")) {
      const indices = card[place.dataset.examples];
      const isHaving = place.dataset.examples === "having";
      place.append(...indices.map((index) => figure(index, isHaving ? card.marks[index] : null)));
      if (!indices.length) place.textContent = "None of the graphs that are kept.";
    }
  }

  function light(article, number) {
    article.classList.toggle("lit", number !== null);
    for (const node of article.querySelectorAll("[data-match]")) {
      const isOn = node.dataset.match === number;
      node.classList.toggle("on", isOn);
      if (node.matches(".pg-node, mark")) node.classList.toggle("pg-hot", isOn);
    }
  }

  async function copy(button) {
    const article = button.closest(".card");
    const text = data.cards[article.id].copies[button.dataset.copy];
    const box = article.querySelector(".copied");
    box.textContent = text;
    box.hidden = false;
    const name = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = `${name} copied`;
    } catch {
      // Without leave to use the clipboard the text is there to be selected.
      getSelection().selectAllChildren(box);
      button.textContent = `${name} selected`;
    }
    setTimeout(() => { button.textContent = name; }, 1600);
  }

  function show(id) {
    const details = document.getElementById(id)?.querySelector("details.more");
    if (details) details.open = true;
  }

  function begin(all) {
    data = all;
    for (const details of document.querySelectorAll("details.more")) details.addEventListener("toggle", () => details.open && open(details));
    for (const article of document.querySelectorAll(".card")) {
      const pick = (event) => light(article, event.target.closest?.("[data-match]")?.dataset.match ?? null);
      article.addEventListener("pointerover", pick);
      article.addEventListener("focusin", pick);
      article.addEventListener("pointerleave", () => light(article, null));
      article.addEventListener("focusout", () => light(article, null));
    }
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-copy]");
      if (button) copy(button);
    });
    for (const fold of document.querySelectorAll("#wrong")) fold.addEventListener("toggle", () => {
      for (const cell of fold.querySelectorAll("[data-graph]:empty")) {
        const graph = data.graphs[cell.dataset.graph];
        if (graph) cell.append(Sketch.draw(graph, data.looks, null, title(Number(cell.dataset.graph))));
      }
    });
  }

  return { begin, title, certainty, show };
})();
