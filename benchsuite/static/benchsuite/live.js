// Draws what is under way as its seconds arrive: over a WebSocket where there is one, else by asking.
(function () {
  "use strict";
  const section = document.querySelector("section.live");
  const list = document.querySelector("[data-under-way]");
  const EVERY_MS = 1000;
  const MOST_FAILURES = 3; // of a WebSocket: then there is asking
  // The place of its run, and the rest in the order of benchsuite/system/journal.py.
  const [PLACE, ELAPSED, GOODPUT, P50, P95, FAILED, CPU, MEASURED] = [0, 1, 2, 3, 4, 5, 6, 7];
  const CHARTS = [
    { title: "Goodput, /s", lines: [[GOODPUT, 1, "goodput"]] },
    { title: "Response times, ms", lines: [[P95, 1000, "p95"], [P50, 1000, "p50"]] },
    { title: "Failed in each second", lines: [[FAILED, 1, "failed"]] },
    { title: "CPU of the server, %", lines: [[CPU, 1, "CPU"]] },
  ];
  const COLUMNS = [[PLACE, 1], [ELAPSED, 1], [GOODPUT, 1], [P50, 1000], [P95, 1000], [FAILED, 1], [CPU, 1]];

  function element(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(function (entry) { made.setAttribute(entry[0], entry[1]); });
    made.textContent = text || "";
    return made;
  }

  // What is replaced loses the focus, and whoever reads it the place.
  function hasFocus(part) {
    return part.contains(document.activeElement);
  }

  function written(value) {
    return value === null ? "—" : value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
  }

  // The next number of the form 1, 2 or 5 × 10ⁿ.
  function rounded(most) {
    const power = Math.pow(10, Math.floor(Math.log10(most)));
    return [1, 2, 5, 10].map(function (step) { return step * power; }).find(function (top) { return top >= most; });
  }

  // The runs stand side by side, each with the seconds of its own load.
  function placed(seconds) {
    let begin = 0;
    return seconds.map(function (second, index) {
      const before = seconds[index - 1];
      const isFirst = !before || before[PLACE] !== second[PLACE];
      if (before && isFirst) {
        begin += before[ELAPSED] + 1;
      }
      return { second: second, isFirst: isFirst, from: isFirst ? begin : begin + before[ELAPSED], at: begin + second[ELAPSED] };
    });
  }

  function chart(place, drawing, seconds) {
    const [width, height, left, right, top, bottom] = [place.clientWidth || 320, 150, 44, 34, 8, 20];
    const svg = element("svg", { viewBox: "0 0 " + width + " " + height, role: "img" });
    const points = placed(seconds);
    const last = points[points.length - 1];
    const end = Math.max(10, last.at);
    const several = last.second[PLACE] !== seconds[0][PLACE];
    const values = drawing.lines.flatMap(function (line) {
      return seconds.map(function (second) { return (second[line[0]] || 0) * line[1]; });
    });
    const most = rounded(Math.max.apply(null, values.concat(1)));
    const says = drawing.lines.map(function (line) {
      const value = last.second[line[0]];
      return line[2] + " " + written(value === null ? null : value * line[1]);
    });
    function x(at) { return left + (width - left - right) * at / end; }
    function y(value) { return height - bottom - (height - top - bottom) * value / most; }
    function label(at, words) {
      svg.append(element("text", { x: x(at), y: height - 5, "text-anchor": "middle" }, words));
    }
    svg.setAttribute("aria-label", drawing.title + ": " + says.join(", ") + " in the last second");
    points.forEach(function (point) {
      if (!point.second[MEASURED]) { // what doesn't count is shaded
        svg.append(element("rect", { class: "aside", x: x(point.from), y: top, width: x(point.at) - x(point.from), height: height - top - bottom }));
      }
      if (point.isFirst && several) {
        label(point.from, "▸" + point.second[PLACE]);
      }
    });
    [0, most / 2, most].forEach(function (value) {
      svg.append(element("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
      svg.append(element("text", { x: left - 4, y: y(value) + 4, "text-anchor": "end" }, written(value)));
    });
    if (!several) {
      label(0, "0 s");
      label(end, Math.round(end) + " s");
    }
    let above = -Infinity; // where the name of the line before stands
    drawing.lines.forEach(function (line, index) {
      let path = "";
      let isOn = false;
      points.forEach(function (point) {
        const value = point.second[line[0]];
        if (value !== null) {
          path += (isOn && !point.isFirst ? "L" : "M") + x(point.at).toFixed(1) + " " + y(value * line[1]).toFixed(1);
        }
        isOn = value !== null; // what is not known leaves a gap
      });
      svg.append(element("path", { class: index ? "second" : "first", d: path }));
      if (isOn) {
        const value = last.second[line[0]] * line[1];
        svg.append(element("circle", { class: index ? "second" : "first", cx: x(last.at), cy: y(value), r: 2.5 }));
        above = Math.max(y(value) + 4, above + 11);
        svg.append(element("text", { x: x(last.at) + 5, y: above }, drawing.lines.length > 1 ? line[2] : written(value)));
      }
    });
    place.replaceChildren(svg);
  }

  function follow() {
    const url = section.dataset.url;
    let journal = ""; // of the command whose seconds these are
    let first = 0; // how many of it are no longer shown
    let next = 0; // how many of it have come
    let seconds = [];
    let failures = 0; // of the WebSocket, one after another
    let said = section.querySelector("[data-say]").textContent;
    const places = CHARTS.map(function (drawing) {
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      const place = document.createElement("div");
      caption.textContent = drawing.title;
      figure.append(caption, place);
      const charts = section.querySelector("[data-charts]");
      if (charts) {
        charts.append(figure);
      }
      return place;
    });

    function draw() {
      if (seconds.length) {
        CHARTS.forEach(function (drawing, index) { chart(places[index], drawing, seconds); });
      } else {
        places.forEach(function (place) { place.replaceChildren(); });
      }
    }

    function row(second) {
      const made = document.createElement("tr");
      COLUMNS.forEach(function (column) {
        const cell = made.insertCell();
        cell.className = "figure";
        cell.textContent = written(second[column[0]] === null ? null : second[column[0]] * column[1]);
      });
      return made;
    }

    function take(message) {
      const rows = section.querySelector("[data-seconds]");
      if (message.over || Boolean(message.journal) !== Boolean(rows)) {
        location.reload(); // to the results, or to what can be drawn by now
        return;
      }
      section.querySelectorAll("[data-part]").forEach(function (part) {
        const html = message[part.dataset.part];
        if (html !== undefined && part.live !== html && !hasFocus(part)) {
          part.live = part.innerHTML = html;
        }
      });
      if (message.say && message.say !== said) {
        said = section.querySelector("[data-say]").textContent = message.say;
      }
      if (!rows) {
        return;
      }
      rows.closest("details").hidden = false;
      if (message.journal !== journal || message.since !== next || message.first > first) {
        seconds = seconds.slice(message.journal === journal && message.since === next ? message.first - first : Infinity);
        rows.replaceChildren.apply(rows, seconds.map(row));
      }
      journal = message.journal;
      first = message.first;
      next = message.since + message.seconds.length;
      if (message.seconds.length || !seconds.length) {
        seconds = seconds.concat(message.seconds);
        rows.append.apply(rows, message.seconds.map(row));
        draw();
      }
    }

    function address() {
      return url + "?" + new URLSearchParams({ journal: journal, since: next });
    }

    function lost(isLost) {
      section.querySelector("[data-lost]").hidden = !isLost;
    }

    function ask() {
      fetch(address(), { headers: { Accept: "application/json" } }).then(function (answer) {
        if (answer.redirected || answer.status === 403 || answer.status === 404) {
          location.reload(); // somebody has to log in again, or it was deleted
          return new Promise(function () {});
        }
        return answer.json();
      }).then(
        function (message) { lost(false); take(message); return true; },
        function () { lost(true); return false; } // the console is gone, and may come back
      ).then(function (isThere) {
        const bySocket = isThere && section.hasAttribute("data-socket") && failures < MOST_FAILURES;
        setTimeout(bySocket ? listen : ask, EVERY_MS);
      });
    }

    function listen() {
      const socket = new WebSocket(new URL(address(), location.href).href.replace(/^http/, "ws"));
      socket.addEventListener("message", function (event) {
        failures = 0;
        lost(false);
        take(JSON.parse(event.data));
      });
      socket.addEventListener("close", function () {
        failures += 1;
        setTimeout(ask, EVERY_MS);
      });
    }

    addEventListener("resize", draw);
    (section.hasAttribute("data-socket") ? listen : ask)();
  }

  function refreshList() {
    setTimeout(function () {
      fetch(list.dataset.underWay).then(function (answer) { return answer.json(); }).then(function (message) {
        if (message.count !== list.querySelectorAll(".under-way").length && !document.querySelector("input[name=runs]:checked")) {
          location.reload(); // one has ended, or another has begun
        }
        if (!hasFocus(list)) {
          list.innerHTML = message.html;
        }
      }).catch(function () {}).then(refreshList);
    }, 2 * EVERY_MS);
  }

  if (section) {
    follow();
  }
  if (list) {
    refreshList();
  }
})();
