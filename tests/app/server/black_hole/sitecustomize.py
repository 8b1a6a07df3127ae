"""A network that answers nothing but this machine: Python runs this before all else in every process with the
folder on its path.

Every attempt to reach another machine, by name or by a connection, is written down in the file `BLACK_HOLE`,
and fails. Packets without a connection aren't counted: to ask the system for its own address, one is
addressed and never sent.
"""

import errno
import ipaddress
import os
import socket

KEPT = os.environ["BLACK_HOLE"]
connect, connect_ex, find = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


def is_here(host):
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host in {"localhost", ""}


def note(what):
    with open(KEPT, "a", encoding="utf-8") as stored:
        stored.write(f"{what}\n")


def leads_out(line, address):
    outwards = line.family in {socket.AF_INET, socket.AF_INET6} and line.type == socket.SOCK_STREAM
    if outwards and not is_here(address[0]):
        note(address)
        return True
    return False


def connect_here(line, address):
    if leads_out(line, address):
        raise OSError(errno.ENETUNREACH, "nothing but this machine")
    return connect(line, address)


def connect_ex_here(line, address):
    return errno.ENETUNREACH if leads_out(line, address) else connect_ex(line, address)


def find_here(host, *more, **named):
    name = host.decode() if isinstance(host, bytes) else host or ""
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        if not is_here(name):
            note(name)
            raise socket.gaierror(socket.EAI_NONAME, "nothing but this machine") from None
    return find(host, *more, **named)


socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo = connect_here, connect_ex_here, find_here
