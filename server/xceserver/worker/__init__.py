"""The worker: the agent, the launcher that forks, and the supervisors that outlive both."""
