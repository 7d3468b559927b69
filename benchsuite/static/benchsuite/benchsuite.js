// Draws the charts, follows light and dark, and adds what is only a convenience: every page works without it.
(function () {
  "use strict";
  const root = document.documentElement;

  // The admin keeps the reader's choice of light, dark or auto under this name.
  function followAdmin() {
    let theme = null;
    try {
      theme = localStorage.getItem("theme");
    } catch (error) {
      return; // storage is closed to this page: the system's choice stands
    }
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    }
  }

  function colour(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }

  function themed(layout) {
    const grid = colour("--chart-grid");
    const text = colour("--body-quiet-color");
    const changes = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: text, family: colour("--font-family-primary"), size: 12 },
      // Over the legend while the pointer is on the chart: it has to be seen apart from it.
      modebar: { bgcolor: colour("--body-bg"), color: text, activecolor: colour("--body-fg") },
      hoverlabel: {
        bgcolor: colour("--darkened-bg"),
        bordercolor: colour("--border-color"),
        font: { color: colour("--body-fg") },
      },
    };
    for (const axis of ["xaxis", "yaxis"]) {
      changes[axis] = Object.assign({}, layout[axis], { gridcolor: grid, linecolor: grid });
    }
    return Object.assign({}, layout, changes);
  }

  function draw(figure) {
    const drawing = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const place = figure.querySelector(".drawing");
    Plotly.react(place, drawing.data, themed(drawing.layout), {
      displaylogo: false,
      // Without a pointer the bar would lie on the legend all the time.
      displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
      responsive: true,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
      toImageButtonOptions: { filename: figure.id },
    });
  }

  function drawAll() {
    if (typeof Plotly === "undefined") {
      return; // the tables show the same numbers
    }
    document.querySelectorAll("figure.chart").forEach(draw);
  }

  function addCopyButtons() {
    if (!navigator.clipboard) {
      return;
    }
    document.querySelectorAll("pre.command").forEach(function (block) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(block.querySelector("code").textContent).then(
          function () {
            button.textContent = "Copied";
            setTimeout(function () { button.textContent = "Copy"; }, 1500);
          },
          function () { button.textContent = "Select the text to copy it"; }
        );
      });
      block.append(button);
    });
  }

  function countChosen() {
    const form = document.getElementById("runs");
    if (!form) {
      return;
    }
    const boxes = Array.from(form.querySelectorAll("input[name=runs]"));
    const words = form.querySelector("[data-chosen]");
    const idle = words.textContent;
    function show() {
      const many = boxes.filter(function (box) { return box.checked; }).length;
      words.textContent = many ? many + " of " + boxes.length + " chosen" : idle;
    }
    const place = form.querySelector("[data-all]");
    if (place) {
      const all = document.createElement("input");
      all.type = "checkbox";
      all.setAttribute("aria-label", "Choose all runs of this page");
      all.addEventListener("change", function () {
        boxes.forEach(function (box) { box.checked = all.checked; });
        show();
      });
      place.append(all);
    }
    form.addEventListener("change", show);
    show();
  }

  // While something runs the list stays fresh, unless that would undo what the reader is doing.
  function refreshList() {
    const form = document.getElementById("runs");
    if (!form || !form.dataset.refreshS) {
      return;
    }
    setInterval(function () {
      const typing = document.activeElement && document.activeElement.closest("form");
      if (!document.hidden && !typing && !form.querySelector("input:checked")) {
        location.reload();
      }
    }, 1000 * Number(form.dataset.refreshS));
  }

  // On a narrow screen the filters would push the list off it; without a script they stay open.
  function foldFilters() {
    const filters = document.querySelector("details.filters");
    if (filters && matchMedia("(max-width: 1180px)").matches) {
      filters.open = false;
    }
  }

  followAdmin();
  foldFilters();
  addCopyButtons();
  countChosen();
  refreshList();
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new MutationObserver(drawAll).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
})();
