// Draws the charts as they scroll into view: the tables beside them hold the same numbers.
(function () {
  "use strict";
  const root = document.documentElement;
  const figures = Array.from(document.querySelectorAll("figure.chart"));
  // All that a chart offers; the library's own list has a button that uploads.
  const BUTTONS = ["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"];
  let span = null; // the part of the common time axis that the reader chose

  // light-dark() is resolved where a colour is used, not in the variable that holds it.
  function colour(name) {
    root.style.outlineColor = `var(${name})`;
    const resolved = getComputedStyle(root).outlineColor;
    root.style.outlineColor = "";
    return resolved;
  }

  function place(figure) {
    return figure.querySelector(".drawing");
  }

  function isDrawn(figure) {
    return Boolean(place(figure).data);
  }

  function overTime(figure) {
    return isDrawn(figure) && place(figure).layout.meta.over_time;
  }

  function themed(layout) {
    const grid = colour("--chart-grid");
    const text = colour("--body-quiet-color");
    const axes = {};
    for (const axis of ["xaxis", "yaxis"]) {
      axes[axis] = Object.assign({}, layout[axis], { gridcolor: grid, linecolor: grid });
    }
    return Object.assign({}, layout, axes, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: text, family: getComputedStyle(root).getPropertyValue("--font-family-primary"), size: 12 },
      // Over the legend while the pointer is on the chart: it has to be seen apart from it.
      modebar: { bgcolor: colour("--body-bg"), color: text, activecolor: colour("--body-fg") },
      hoverlabel: {
        bgcolor: colour("--darkened-bg"),
        bordercolor: colour("--border-color"),
        font: { color: colour("--body-fg") },
      },
    });
  }

  function draw(figure) {
    const drawing = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const layout = themed(drawing.layout);
    if (span && layout.meta.over_time) {
      layout.xaxis.range = span;
    }
    const fresh = !isDrawn(figure);
    const lines = drawing.data.map(function (one) { return Object.assign({}, drawing.shared, one); });
    Plotly.react(place(figure), lines, layout, {
      displaylogo: false,
      // Without a pointer the bar would lie on the legend all the time.
      displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
      modeBarButtons: [BUTTONS],
      plotlyServerURL: "",
      responsive: true,
      toImageButtonOptions: { filename: figure.id },
    });
    if (fresh) {
      performance.mark("chart " + figure.id);
      follow(figure);
    }
  }

  function redraw() {
    figures.filter(isDrawn).forEach(draw);
  }

  // The charts over time have one axis and one cursor.
  function follow(figure) {
    const own = place(figure);
    own.tabIndex = 0;
    function others() {
      return figures.filter(function (one) { return one !== figure && overTime(one); }).map(place);
    }
    own.on("plotly_hover", function (event) {
      if (own.layout.hovermode === "x unified") {
        const moment = { xval: event.xvals ? event.xvals[0] : event.points[0].x };
        others().forEach(function (one) { Plotly.Fx.hover(one, moment, "xy", true); });
      }
    });
    own.on("plotly_unhover", function () {
      others().forEach(function (one) { Plotly.Fx.unhover(one, {}, "xy", true); });
    });
    own.on("plotly_relayout", function (change) {
      const moved = Object.keys(change).some(function (name) { return name.startsWith("xaxis."); });
      const range = own.layout.xaxis.range;
      if (!moved || !overTime(figure) || (span && String(span) === String(range))) {
        return;
      }
      span = range.slice();
      others().forEach(function (one) { Plotly.relayout(one, { "xaxis.range": span.slice() }); });
    });
    own.addEventListener("keydown", function (event) { step(figure, event); });
  }

  // With the arrow keys the cursor goes from point to point.
  function step(figure, event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (!(event.key in steps)) {
      return;
    }
    event.preventDefault();
    const own = place(figure);
    const points = Math.max.apply(null, own.data.map(function (one) { return one.y.length; }));
    const at = Number(own.dataset.at || (steps[event.key] > 0 ? -1 : points)) + steps[event.key];
    const to = Math.min(Math.max(at, 0), points - 1);
    own.dataset.at = to;
    const shown = own.data.flatMap(function (one, curve) {
      return to < one.y.length ? [{ curveNumber: curve, pointNumber: to }] : [];
    });
    Plotly.Fx.hover(own, shown);
  }

  function drawInView() {
    const seen = new IntersectionObserver(function (entries) {
      entries.filter(function (entry) { return entry.isIntersecting; }).forEach(function (entry) {
        seen.unobserve(entry.target);
        if (!isDrawn(entry.target)) {
          draw(entry.target);
        }
      });
    }, { rootMargin: "300px" });
    figures.forEach(function (figure) { seen.observe(figure); });
  }

  function start() {
    drawInView();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const paper = matchMedia("print");
    dark.addEventListener("change", redraw);
    // On paper all charts are wanted, in the colours of paper.
    paper.addEventListener("change", function () { (paper.matches ? figures : figures.filter(isDrawn)).forEach(draw); });
    new MutationObserver(redraw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  }

  // In a file the library stands packed; where a browser can't unpack it, tables say the same.
  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed.textContent), function (sign) { return sign.charCodeAt(0); });
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(plain).text();
    document.head.append(script);
  }

  function showTables() {
    figures.forEach(function (figure) {
      place(figure).hidden = true;
      figure.querySelector("details").open = true;
    });
  }

  const packed = document.getElementById("plotly");
  if (packed) {
    unpack(packed).then(start).catch(showTables);
  } else if (typeof Plotly !== "undefined") {
    start();
  } else {
    showTables();
  }
})();
