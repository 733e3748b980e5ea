# SPDX-License-Identifier: Apache-2.0
"""Hosts on this machine with a network of unequal delays between them, for trials with real launchers.

Each host is a process in namespaces of its own (network, host name, mounts); all that they start is in a namespace of
processes, with which it ends. A host's eth0 is a tap device, and a switch
in user space carries the frames, each as much later as the two hosts are apart: so it needs /dev/net/tun and root, but
no module of the kernel such as sch_netem.

    with DelayedHosts([["n0", "n1"], ["n2", "n3"]], near_s=1e-4, far_s=1e-3) as hosts:
        hosts.run("n0", [*hosts.openmpi(), "--host", "n0,n2,n1,n3", "./program"])
"""

import fcntl
import heapq
import json
import os
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

MTU = 9000
OF_HOST, OF_ALL = ["--net", "--uts", "--mount"], ["--mount", "--pid"]
TOOLS = ["unshare", "nsenter", "setpriv", "ip", "mount"]


def why_not():
    """Returns what is missing here; None if nothing is."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return f"no {', '.join(missing)} (util-linux and iproute2 have them)"
    if os.geteuid() != 0:
        return "needs root for network namespaces"
    probe = ["unshare", *OF_HOST, *OF_ALL, "--fork", "ip", "tuntap", "add", "dev", "probe", "mode", "tap"]
    done = subprocess.run(probe, capture_output=True, text=True)
    return f"no network namespaces with tap devices ({done.stderr.strip()})" if done.returncode != 0 else None


def tap(name):
    """The file of a new tap device, frames without a header."""
    tun_set_iff, iff_tap, iff_no_pi = 0x400454CA, 0x0002, 0x1000
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, tun_set_iff, struct.pack("16sH22x", name.encode(), iff_tap | iff_no_pi))
    return file


def switch(hosts):
    """Carries frames between hosts, each a {"device", "pid", "delays_s": to each host}; says when it is ready."""
    taps = []
    for host in hosts:
        taps.append(tap(host["device"]))
        subprocess.run(["ip", "link", "set", host["device"], "netns", str(host["pid"])], check=True)
    with suppress(OSError):  # delays of a tenth of a millisecond want a switch that is woken at once
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    with suppress(OSError):
        Path("/proc/self/timerslack_ns").write_text("1")
    print("ready", flush=True)
    number = {file: at for at, file in enumerate(taps)}
    due, sent = [], 0  # a heap of (time, sequence number, file, frame)
    while True:
        wait = max(0.0, due[0][0] - time.monotonic()) if due else None
        for source in select.select(taps, [], [], wait)[0]:
            with suppress(BlockingIOError, OSError):  # a device may not be up yet
                while True:
                    frame = os.read(source, MTU + 64)
                    now, at = time.monotonic(), number[source]
                    # Addresses are 02:00:00:00:00:NN; any other target is for all.
                    targets = [frame[5]] if frame[:5] == b"\2\0\0\0\0" else range(len(taps))
                    for target in targets:
                        if target != at and target < len(taps):
                            sent += 1
                            heapq.heappush(due, (now + hosts[at]["delays_s"][target], sent, taps[target], frame))
        while due and due[0][0] <= time.monotonic():
            _, _, target, frame = heapq.heappop(due)
            with suppress(OSError):  # lost, as on a wire
                os.write(target, frame)


class DelayedHosts:
    """racks: names of hosts by rack; near_s and far_s: seconds that a frame takes inside a rack and between racks."""

    def __init__(self, racks, near_s, far_s):
        self.names = [name for rack in racks for name in rack]
        rack_of = [at for at, rack in enumerate(racks) for _ in rack]
        self.delays_s = [[near_s if a == b else far_s for b in rack_of] for a in rack_of]
        self.started = []

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="atoll-hosts-"))
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        lines = [f"10.77.0.{at + 1} {name}\n" for at, name in enumerate(self.names)]
        (self.folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(lines))
        agent = self.folder / "agent"
        # Takes the arguments of ssh: options, a host, a command for its shell.
        agent.write_text(
            '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n'
            f'exec nsenter -t "$(cat {self.folder}/"$host".pid)" {" ".join(OF_HOST)} /bin/sh -c "$*"\n'
        )
        agent.chmod(0o755)
        ready = self.folder / "ready"
        life = ["sh", "-c", f"touch {ready} && exec sleep infinity"]
        nest = self.popen(["unshare", *OF_ALL, "--fork", "--kill-child", "--mount-proc", *life])
        self.wait_for(ready.exists, nest, "the namespace of processes")
        self.nest = Path(f"/proc/{nest.pid}/task/{nest.pid}/children").read_text().strip()
        table = []
        for at, name in enumerate(self.names):
            begun, ready = self.folder / f"{name}.begun", self.folder / f"{name}.pid"
            life = f"hostname {name} && mount --bind {self.folder}/hosts /etc/hosts && echo $$ >{begun}"
            life += f" && mv {begun} {ready} && exec sleep infinity"
            holder = self.popen(self.inside(["unshare", *OF_HOST, "sh", "-c", life]))
            self.wait_for(ready.exists, holder, f"host {name}")
            host = {"device": f"tap{at}-{self.nest}", "pid": int(ready.read_text()), "delays_s": self.delays_s[at]}
            table.append(host)
        words = self.inside([sys.executable, __file__, json.dumps(table)])
        carrier = self.popen(words, stdout=subprocess.PIPE, text=True)
        if carrier.stdout.readline() != "ready\n":
            raise RuntimeError("the switch did not start (its message is above)")
        for at, (name, host) in enumerate(zip(self.names, table, strict=True)):
            device = host["device"]
            commands = [
                "ip link set lo up",
                f"ip link set {device} address 02:00:00:00:00:{at:02x} mtu {MTU} name eth0",
                f"ip address add 10.77.0.{at + 1}/24 dev eth0",
                "ip link set eth0 up",
            ]
            done = self.run(name, ["sh", "-c", " && ".join(commands)])
            if done.returncode != 0:
                raise RuntimeError(f"host {name}: {done.stderr}")

    def inside(self, words):
        return ["nsenter", "-t", self.nest, *OF_ALL, *words]

    def popen(self, words, **options):
        # Processes started here end with this one, whatever ends it.
        process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *words], stdin=subprocess.DEVNULL, **options)
        self.started.append(process)
        return process

    def wait_for(self, done, process, what):
        for _ in range(1000):
            if done():
                return
            if process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"{what} did not start (exit code {process.poll()})")

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder)

    def run(self, host, words, timeout=120, **options):
        """The command on that host, as subprocess.run()."""
        pid = (self.folder / f"{host}.pid").read_text().strip()
        enter = self.inside(["nsenter", "-t", pid, *OF_HOST, *map(str, words)])
        options = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL, **options}
        return subprocess.run(enter, timeout=timeout, **options)

    def openmpi(self):
        """The command's beginning, under Open MPI: mpirun with what these hosts need."""
        settings = {
            "plm_rsh_agent": self.folder / "agent",
            "pml": "ob1",
            "btl": "self,vader,tcp",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "orte_tmpdir_base": self.folder,
            "mpi_yield_when_idle": "1",  # more ranks than cores
        }
        words = ["mpirun.openmpi", "--allow-run-as-root"]
        for name, value in settings.items():
            words += ["--mca", name, str(value)]
        return words

    def mpich(self):
        """The same under MPICH's launcher."""
        launch = ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", str(self.folder / "agent"), "-iface", "eth0"]
        return [*launch, "-genv", "FI_TCP_IFACE", "eth0"]


if __name__ == "__main__":
    switch(json.loads(sys.argv[1]))
