/* Typesets the equations of a page; KaTeX lies in the site. Code that is wider than the page is reached by the keyboard too. */
document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".equation").forEach(function (place) {
        katex.render(place.textContent, place, {displayMode: place.classList.contains("shown"), throwOnError: false});
    });
    document.querySelectorAll("pre, div.equation.shown").forEach(function (place) { place.tabIndex = 0; });
});
