"""Hosts, host groups, and declared resources."""

from collections.abc import Iterator, Mapping

from xcelib.config import codes
from xcelib.config.counters import check_counter
from xcelib.config.findings import Finding
from xcelib.config.model import ClusterConfig, HostConfig, ResourceConfig, descriptors
from xcelib.config.references import undefined
from xcelib.resreq.descriptors import BUILTINS, Descriptor


def check_resources(config: ClusterConfig) -> Iterator[Finding]:
    """Declared resources have names of their own, and only what their layer has."""
    for name, resource in config.resources.items():
        if name in BUILTINS and not _says_more(resource):
            message = f"resource `{name}` is built in"
            yield Finding(path=("resources", name), code=codes.BUILTIN, message=message, hint="give it another name")
        yield from _check_layer(resource)


def _says_more(resource: ResourceConfig) -> bool:
    """Whether it declares the instances that a built-in counter counts, as `gpus`."""
    return resource.layer == "instance" and BUILTINS[resource.name].is_counter


def _check_layer(resource: ResourceConfig) -> Iterator[Finding]:
    path = ("resources", resource.name)
    is_counter = resource.layer == "counter"
    if not is_counter and resource.total is not None:
        message = f"`total` is for counters, `{resource.name}` is an {resource.layer}"
        yield Finding(path=(*path, "total"), code=codes.WRONG_LAYER, message=message)
    if resource.layer == "attribute" and resource.scope == "shared":
        message = f"attribute `{resource.name}` cannot be shared: it is a fact about a host"
        yield Finding(path=(*path, "scope"), code=codes.WRONG_LAYER, message=message)
    if is_counter and resource.scope == "shared" and resource.total is None:
        message = f"shared counter `{resource.name}` has no `total`"
        yield Finding(path=path, code=codes.MISSING_KEY, message=message, hint="say how much of it there is")
    if is_counter and resource.scope == "host" and resource.total is not None:
        message = f"counter `{resource.name}` is per host: its amounts stand with the hosts"
        hint = "write `scope: shared`, or `counters` in hosts.yaml"
        yield Finding(path=(*path, "total"), code=codes.CONTRADICTION, message=message, hint=hint)


def check_hosts(config: ClusterConfig) -> Iterator[Finding]:
    """Hosts have declared attributes and counters; groups name declared hosts."""
    known = descriptors(config)
    for host in config.hosts.values():
        if host.attributes or host.counters:
            yield from _check_host(host, known)
    for name, hosts in config.host_groups.items():
        yield from undefined(("host_groups", name, "hosts"), "host or host group", hosts, config.hosts)
        if name in config.hosts:
            message = f"`{name}` names a host and a host group"
            yield Finding(path=("host_groups", name), code=codes.REPEATED, message=message)


def _check_host(host: HostConfig, known: Mapping[str, Descriptor]) -> Iterator[Finding]:
    path = ("hosts", host.name)
    for name in host.attributes:
        place = (*path, "attributes", name)
        if name not in known:
            yield from undefined(place, "resource", [name], known)
        elif known[name].layer not in ("attribute", "load"):
            message = f"`{name}` is no attribute of a host"
            yield Finding(path=place, code=codes.WRONG_LAYER, message=message, hint="amounts stand under `counters`")
    for name in host.counters:
        place = (*path, "counters", name)
        yield from check_counter(place, name, known)
        if name in known and known[name].scope == "shared":
            message = f"`{name}` is shared: its total stands in resources.yaml"
            yield Finding(path=place, code=codes.WRONG_LAYER, message=message)
        if name == "slots":
            message = "`slots` has a key of its own"
            yield Finding(
                path=place, code=codes.WRONG_LAYER, message=message, hint="write `slots: N` beside `counters`"
            )
