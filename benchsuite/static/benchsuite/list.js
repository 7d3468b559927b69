// Keeps ticks while the reader sorts, filters, turns pages and comes back. Without it the address does.
(function () {
  "use strict";
  const form = document.getElementById("runs");
  if (!form) {
    return;
  }
  const NAME = "benchsuite-chosen";
  const boxes = Array.from(form.querySelectorAll("input[type=checkbox][name=runs]"));
  const basket = form.querySelector("[data-basket]");
  let chosen = {}; // id of a run or of a command → how many runs it is

  function many(box) {
    return Number(box.dataset.runs || 1);
  }

  function save() {
    try {
      sessionStorage.setItem(NAME, JSON.stringify(chosen));
    } catch (error) {
      return; // storage is closed to this page: ticks last as long as it
    }
  }

  function load() {
    try {
      chosen = JSON.parse(sessionStorage.getItem(NAME)) || {};
    } catch (error) {
      chosen = {};
    }
    if (document.querySelector("[data-forget]") && !history.state) {
      chosen = {};
      history.replaceState("forgotten", ""); // who reloads or comes back has ticked others
    }
    form.querySelectorAll("input[type=hidden][name=runs]").forEach(function (hidden) {
      chosen[hidden.value] = chosen[hidden.value] || 1;
      hidden.remove();
    });
    boxes.forEach(function (box) {
      if (box.defaultChecked) {
        chosen[box.value] = many(box);
        box.defaultChecked = false;
      }
    });
    show();
  }

  // A tick of a command is one of all its runs.
  function show() {
    boxes.forEach(function (box) {
      const command = box.closest("tr.run") && box.closest("tbody tbody")
        ? box.closest("tr.expand").previousElementSibling.querySelector("[name=runs]") : null;
      const whole = command !== null && command.value in chosen;
      box.checked = whole || box.value in chosen;
      box.disabled = whole;
    });
    const count = Object.values(chosen).reduce(function (sum, one) { return sum + one; }, 0);
    basket.hidden = !count;
    basket.querySelector("[data-chosen]").textContent = count + " chosen";
    save();
  }

  form.addEventListener("change", function (event) {
    const box = event.target;
    if (!boxes.includes(box)) {
      return;
    }
    if (box.checked) {
      chosen[box.value] = many(box);
    } else {
      delete chosen[box.value];
    }
    const runs = box.closest("tr").nextElementSibling;
    if (runs && runs.matches(".expand")) {
      runs.querySelectorAll("[name=runs]").forEach(function (run) { delete chosen[run.value]; });
    }
    show();
  });

  form.addEventListener("submit", function (event) {
    const button = event.submitter;
    boxes.forEach(function (box) { box.disabled = true; });
    if (!button || button.name !== "go") {
      return;
    }
    if (button.value === "clear") {
      event.preventDefault();
      chosen = {};
      show();
      return;
    }
    Object.keys(chosen).forEach(function (id) {
      const hidden = document.createElement("input");
      Object.assign(hidden, { type: "hidden", name: "runs", value: id });
      form.append(hidden);
    });
    setTimeout(load); // a download leaves this page where it is
  });

  addEventListener("pageshow", load);
})();
