"""Fronts, one file each: proxies that share requests among the instances of a server."""

BUILTIN: dict[str, str] = {
    "nginx": "benchsuite.fronts.nginx.Nginx",
    "haproxy": "benchsuite.fronts.haproxy.Haproxy",
    "swarm": "benchsuite.fronts.swarm.Swarm",
}
