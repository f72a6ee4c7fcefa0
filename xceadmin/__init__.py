"""The administrator's client: check, build, plan and apply configuration; hosts, queues, users."""
