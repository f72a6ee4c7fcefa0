"""The keys of `xce.yaml`."""

from xceadmin.config.shapes import Key, Keys, mapping_of, record
from xceadmin.config.values import boolean, choice, duration, interval, name, project, text

_HISTORY: Keys = {"keep": Key(duration, at=("keep_s",))}

CLUSTER: Keys = {
    "cluster": Key(name),
    "default_queue": Key(name),
    "default_application": Key(name),
    "default_project": Key(project),
    "memory_unit": Key(choice("required", "K", "M", "G")),
    "allow_root_jobs": Key(boolean),
    "lease_timeout": Key(interval, at=("timers", "lease_timeout_s")),
    "host_loss_grace": Key(interval, at=("timers", "host_loss_grace_s")),
    "kill_grace": Key(interval, at=("timers", "kill_grace_s")),
    "hook_timeout": Key(interval, at=("timers", "hook_timeout_s")),
    "history": Key(record(_HISTORY)),
    "reasons": Key(mapping_of(name, text)),
}

read_cluster = record(CLUSTER)
