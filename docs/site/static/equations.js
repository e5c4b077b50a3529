/* Typesets the equations of a page. KaTeX lies in the site. */
document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".equation").forEach(function (place) {
        katex.render(place.textContent, place, {displayMode: place.classList.contains("shown"), throwOnError: false});
    });
});
