// Follows light and dark, and adds what is only a convenience: every page works without it.
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

  // On a narrow screen the filters would push the list off it; without a script they stay open.
  function foldFilters() {
    const filters = document.querySelector("details.filters");
    if (filters && matchMedia("(max-width: 1180px)").matches) {
      filters.open = false;
    }
  }

  // Paper has all folds open; a link into a fold opens it.
  function openFolds() {
    const folds = Array.from(document.querySelectorAll("details.fold"));
    function show() {
      const target = location.hash && document.getElementById(location.hash.slice(1));
      folds.filter(function (fold) { return target && fold.contains(target); }).forEach(function (fold) { fold.open = true; });
    }
    let closed = [];
    const paper = matchMedia("print");
    paper.addEventListener("change", function () {
      if (paper.matches) {
        closed = folds.filter(function (fold) { return !fold.open; });
      }
      closed.forEach(function (fold) { fold.open = paper.matches; });
    });
    addEventListener("hashchange", show);
    show();
  }

  followAdmin();
  foldFilters();
  openFolds();
  addCopyButtons();
})();
