# SPDX-License-Identifier: Apache-2.0
"""A program beside ours that stays in memory with its graph, and answers a line with a line once for each turn."""

import select
import subprocess

from run import CaseError

READING_S = 600  # a peer that has not read its graph by then ends the table


class PeerProcess:
    """A process that is started at the first question, and anew after one whose answer took longer than the limit."""

    def __init__(self, name, words, environment):
        self.name, self.words, self.environment = name, list(map(str, words)), environment
        self.process = None

    def ask(self, line, limit):
        """The words of the answer, or None: it took longer, and the process is ended."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment
            )
            if self.answer(READING_S) is None:
                raise CaseError(f"{self.name} has not read its graph after {READING_S} s.")
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer(limit)

    def answer(self, limit):
        if not select.select([self.process.stdout], [], [], limit)[0]:
            self.process.kill()
            self.close()
            return None
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.close()
            raise CaseError(f"{self.name} ended (exit code {code}). Its last words are above.")
        return line.split()

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
