# How Sphinx makes the site of docs/ (tools/make_docs). Everything that a page needs lies in the site: it is read from a
# file, without a network.
import os

from docutils import nodes

project = "Repose"
author = "The Repose project"
copyright = "The Repose project"
version = release = os.environ.get("REPOSE_VERSION", "")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
# Code that is no Python, and no known language: scenes are YAML, dialogues are console.
highlight_language = "text"

html_theme = "furo"
html_title = "Repose"
html_static_path = ["static"]
html_css_files = ["katex/katex.css", "site.css"]
html_js_files = ["katex/katex.js", "equations.js"]
html_copy_source = False
html_show_sourcelink = False
# A page read from a file may not load other pages for the excerpts of a search; titles and matches need none.
html_show_search_summary = False


def inline_equation(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="equation"))
    self.body.append(self.encode(node.astext()) + "</span>")
    raise nodes.SkipNode


def shown_equation(self, node):
    self.body.append(self.starttag(node, "div", "", CLASS="equation shown"))
    self.body.append(self.encode(node.astext()) + "</div>\n")
    raise nodes.SkipNode


html_math_renderer = "katex"


def setup(app):
    app.add_html_math_renderer("katex", (inline_equation, None), (shown_equation, None))
    return {"parallel_read_safe": True}
