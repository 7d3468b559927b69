"""Workloads, one file each; plain Python that imports neither Locust nor Django."""

BUILTIN: dict[str, str] = {
    "plain": "benchsuite.workloads.plain.Plain",
    "plain_async": "benchsuite.workloads.plain.PlainAsync",
    "cpu": "benchsuite.workloads.cpu.Cpu",
    "cpu_async": "benchsuite.workloads.cpu.CpuAsync",
    "io_create": "benchsuite.workloads.io_create.IoCreate",
    "io_create_async": "benchsuite.workloads.io_create.IoCreateAsync",
    "io_read": "benchsuite.workloads.io_read.IoRead",
    "io_read_async": "benchsuite.workloads.io_read.IoReadAsync",
    "bench_app": "benchsuite.workloads.bench_app.BenchApp",
    "bench_app_async": "benchsuite.workloads.bench_app.BenchAppAsync",
    "layer": "benchsuite.workloads.layer.Layer",
    "sse": "benchsuite.workloads.sse.Sse",
    "survey": "benchsuite.workloads.survey.Survey",
    "ws_connect": "benchsuite.workloads.ws_connect.WsConnect",
    "ws_echo": "benchsuite.workloads.ws_echo.WsEcho",
    "ws_broadcast": "benchsuite.workloads.ws_broadcast.WsBroadcast",
    "ws_reconnect": "benchsuite.workloads.ws_reconnect.WsReconnect",
    "ws_idle": "benchsuite.workloads.ws_idle.WsIdle",
    "url": "benchsuite.workloads.url.Url",
    "locustfile": "benchsuite.workloads.locustfile.Locustfile",
}
