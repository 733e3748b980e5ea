# SPDX-License-Identifier: Apache-2.0
"""The directive `command-reference`: what `--help` of each verb says, so that the page is never behind the program."""

import command_help
from docutils import nodes
from docutils.parsers.rst import Directive


class CommandReference(Directive):
    """A section for each verb, in it one for each verb below it: the help as it is printed."""

    def run(self):
        document = self.state.document
        document.settings.env.note_dependency(str(command_help.BIN / "atoll"))
        document.settings.env.note_dependency(command_help.__file__)
        top, sections = nodes.section(), {}
        for command, text in command_help.all_commands():
            section = nodes.section("", nodes.title(text=command), names=[nodes.fully_normalize_name(command)])
            document.note_implicit_target(section)
            section += nodes.literal_block(text, text, language="text")
            above = " ".join(command.split()[:-1])
            sections.get(above if above != "atoll" else "", top).append(section)
            sections[command] = section
        return top.children


def setup(app):
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True}
