"use strict";
// What holds the page together: the theme, links that open cards, and two classes beside each other.
(() => {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

  function theme() {
    const button = document.getElementById("theme");
    const tell = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      tell();
      GraphMap.redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { tell(); GraphMap.redraw(); });
    tell();
  }

  function contrast() {
    const left = document.getElementById("left"), right = document.getElementById("right");
    if (!left) return;
    const list = document.querySelector(".contrasts");
    const show = () => {
      const rows = [...list.children].map((row) => ({ row, shares: row.dataset.shares.split(",").map(Number) }));
      const gap = ({ shares }) => Math.abs(shares[left.value] - shares[right.value]);
      rows.sort((a, b) => gap(b) - gap(a));
      for (const { row, shares } of rows) {
        for (const [side, choice] of [["left", left], ["right", right]]) {
          const share = shares[choice.value];
          row.querySelector(`.${side} .fill`).style.width = `${share}%`;
          row.querySelector(`.${side} .figure`).textContent = `${share > 0 && share < 1 ? "<1" : share.toFixed(0)}%`;
        }
        list.append(row);
      }
    };
    left.addEventListener("change", show);
    right.addEventListener("change", show);
    show();
  }

  const data = JSON.parse(document.getElementById("data").textContent);
  Cards.begin(data);
  theme();
  contrast();
  GraphMap.begin(data);
  addEventListener("hashchange", () => Cards.show(location.hash.slice(1)));
  if (location.hash) Cards.show(location.hash.slice(1));
})();
