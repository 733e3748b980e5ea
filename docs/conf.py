# SPDX-License-Identifier: Apache-2.0
"""The site of `make docs`: the pages of this folder, some of the root's, and a reference of command, Python and C++.

C++: cmake/public_headers.txt is the one list of the headers that users of libatoll include; Doxygen reads them, breathe
shows them. Python: the docstrings of the package that .venv imports. The command: its own help (command_help.py).

Links. A page links to files as they lie in the repository, so that the links work there too. Those to other pages
become links of the site; those to sources become links below ATOLL_SOURCE_URL where that is set, else the file's path.
A link to what does not exist is a warning, and so an error.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.util import logging

ROOT = Path(__file__).resolve().parent.parent
LOG = logging.getLogger("atoll")

PUBLIC_HEADERS = ROOT / "cmake/public_headers.txt"  # page of reference/cpp, header

# Pages whose text is a file of the root; the page itself holds a comment that says so.
ROOT_PAGES = {
    "architecture": "ARCHITECTURE.md",
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
    "security": "SECURITY.md",
}

sys.path.insert(0, str(ROOT / "docs"))  # command_reference, command_help

project = "Atoll"
copyright = "the Atoll developers"
release = re.search(r"^  VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "breathe",
    "command_reference",
]
autosummary_generate = False  # its tables link to the pages of reference/python
exclude_patterns = ["requirements.txt", "man"]  # make man
myst_heading_anchors = 3
html_theme = "furo"
html_static_path = ["_static"]
html_logo = html_favicon = "_static/logo.svg"
html_search_scorer = str(ROOT / "docs/_static/search_order.js")
html_title = f"Atoll {release}"
html_show_sphinx = False
html_copy_source = False

add_module_names = False
autodoc_mock_imports = ["torch"]  # optional, and large
autodoc_typehints = "none"  # the docstrings say them, with shapes
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

breathe_default_project = "atoll"
cpp_maximum_signature_line_length = 100
suppress_warnings = ["duplicate_declaration.cpp"]  # namespace atl, which every header opens


def doxygen(app, config):
    """Runs Doxygen over PUBLIC_HEADERS, if they or its settings are newer than what it left."""
    out = Path(app.outdir).parent / "doxygen"
    config.breathe_projects = {"atoll": str(out / "xml")}
    headers = [str(ROOT / "cpp/atoll" / name) for names in public_headers().values() for name in names]
    inputs = [*headers, PUBLIC_HEADERS, __file__, ROOT / "docs/Doxyfile", ROOT / "docs/header_comment.awk"]
    index = out / "xml/index.xml"
    if index.exists() and all(os.path.getmtime(i) < os.path.getmtime(index) for i in inputs):
        return
    out.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs/Doxyfile").read_text()
    settings += f"OUTPUT_DIRECTORY = {out}\nINPUT = {' '.join(headers)}\n"
    try:
        run = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, stderr=subprocess.PIPE)
    except FileNotFoundError:
        sys.exit("docs: there is no doxygen (Debian, Ubuntu: apt-get install doxygen).")
    for line in run.stderr.splitlines():
        LOG.warning(line)
    if run.returncode != 0:
        sys.exit(f"docs: doxygen ended with {run.returncode}.")
    mend(index)


def mend(index):
    """Corrects what breathe cannot read of Doxygen's: files without folders in the index, initialisers after C++17.

    And what users need not see: private members, and each class's include line, which the page has.
    """
    tree = xml.parse(index)
    for file in tree.iterfind("compound[@kind='file']"):
        at = xml.parse(index.with_name(file.get("refid") + ".xml")).find("compounddef/location")
        file.find("name").text = at.get("file")
    tree.write(index, encoding="utf-8")
    for path in index.parent.glob("*.xml"):
        text = path.read_text(encoding="utf-8")
        mended = re.sub(r"<initializer>=\s*(requires|\{).*?</initializer>", "", text, flags=re.DOTALL)
        mended = re.sub(r"<includes .*?</includes>", "", mended)
        mended = re.sub(r'<sectiondef kind="private-.*?</sectiondef>', "", mended, flags=re.DOTALL)
        if mended != text:
            path.write_text(mended, encoding="utf-8")


def public_headers():
    """By page, the paths below cpp/atoll that PUBLIC_HEADERS names."""
    found = {}
    for line in PUBLIC_HEADERS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            page, name = line.split()
            found.setdefault(page, []).append(name.removeprefix("atoll/"))
    return found


class Headers(Directive):
    """`cpp-headers:: page`: all headers of that page of PUBLIC_HEADERS, each under its include line."""

    required_arguments = 1

    def run(self):
        text = []
        for name in public_headers()[self.arguments[0]]:
            for file in (ROOT / "cpp/atoll" / name, PUBLIC_HEADERS, __file__, ROOT / "docs/Doxyfile"):
                self.state.document.settings.env.note_dependency(str(file))
            title = f"<atoll/{name}>"
            text += [title, "-" * len(title), "", f".. doxygenfile:: atoll/{name}", ""]
        section = nodes.section()
        section.document = self.state.document
        self.state.nested_parse(StringList(text, source="docs/conf.py"), self.content_offset, section, match_titles=1)
        return section.children


LINK = re.compile(r"(?<!!)\[([^\]\[]+)\]\((?![a-z]+:|#|<)([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(```.*?^```|~~~.*?^~~~)", re.MULTILINE | re.DOTALL)


def links_of_the_site(app, docname, source):
    """A page's text, its links to files of the repository as this site has them."""
    file = ROOT / "docs" / (docname + ".md")
    if docname in ROOT_PAGES:
        file = ROOT / ROOT_PAGES[docname]
        app.env.note_dependency(str(file))
        source[0] = file.read_text(encoding="utf-8")
    pages = {ROOT / path: name for name, path in ROOT_PAGES.items()}

    def link(match):
        text, path, anchor = match[1], match[2], match[3] or ""
        target = (file.parent / path).resolve()
        name = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else path
        if not target.exists():
            LOG.warning("%s: links to %s (there is no such file). Correct the link.", file.relative_to(ROOT), path)
        if target in pages:
            return f"[{text}]({'../' * docname.count('/')}{pages[target]}.md{anchor})"
        if target.is_relative_to(ROOT / "docs") and target.is_file():
            return f"[{text}]({os.path.relpath(target, (ROOT / 'docs' / docname).parent)}{anchor})"
        if base := os.environ.get("ATOLL_SOURCE_URL"):
            return f"[{text}]({base.rstrip('/')}/{name})"
        plain = text.strip("`")
        return f"`{name}`" if name.rstrip("/").endswith(plain.rstrip("/")) else f"{text} (`{name}`)"

    pieces = FENCE.split(source[0])
    source[0] = "".join(p if p.startswith(("```", "~~~")) else LINK.sub(link, p) for p in pieces)


def links_of_the_readme(app, env):
    """README.md is no page, but its links are held to the same rule."""
    for match in LINK.finditer((ROOT / "README.md").read_text(encoding="utf-8")):
        if not (ROOT / match[2]).exists():
            LOG.warning("README.md: links to %s (there is no such file). Correct the link.", match[2])


SECTIONS = {"Parameters", "Returns", "Raises", "Yields", "Attributes", "Warns", "Other Parameters"}


def numpydoc(app, what, name, obj, options, lines):
    """The house's docstrings have a name and its description on one line, as tables; Sphinx wants two."""
    made, section, heads = [], None, False
    lines[:] = [re.sub(r"\[(\d)\]_", r"[\1]", line) for line in lines]  # a footnote's number is its docstring's own
    for i, line in enumerate(lines):
        below = lines[i + 1] if i + 1 < len(lines) else ""
        if below and set(below) == {"-"} and len(below) == len(line):
            section, heads = line, line in SECTIONS
        if heads and line and line != section and set(line) != {"-"}:
            if not line.startswith(" "):
                head, *rest = re.split(r"  +", line.rstrip(), maxsplit=1)
                made += [head] + ["    " + text for text in rest]
                continue
            line = "    " + line.strip()
            if section == "Raises" and made[-1].startswith("    "):
                made[-1] += line[3:]
                continue
        elif section == "References" and line and line != section and set(line) != {"-"}:
            line = "  " + line.strip() if not line.startswith(".. ") else "* " + line[3:]
        made.append(line)
    lines[:] = made


def all_is_there(app, env):
    """Every public name of the package stands in the reference."""
    import atoll

    known = {name.removeprefix("atoll.") for name in env.domaindata["py"]["objects"]}
    for name in sorted(set(atoll.__all__) - known - {"__version__"}):
        LOG.warning(
            "atoll.%s is in no page. Add it to a page of docs/reference/python and its table in python.md.",
            name,
        )


def setup(app):
    app.add_directive("cpp-headers", Headers)
    app.connect("config-inited", doxygen, priority=100)
    app.connect("source-read", links_of_the_site)
    app.connect("autodoc-process-docstring", numpydoc, priority=100)  # before napoleon
    app.connect("env-check-consistency", all_is_there)
    app.connect("env-check-consistency", links_of_the_readme)
    return {"parallel_read_safe": True}
