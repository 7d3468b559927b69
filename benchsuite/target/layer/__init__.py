"""HTTP through the channel layer, as Channels 1 served it: a worker answers for the server.

    server  `asking`     /bench/layer/plain/ → a message on the workers' channel; its answer back
    worker  `answering`  that message → Django at /bench/plain/ → a message on the reply channel

Importing either one imports Channels, so only `benchsuite.target.routing` does.
"""
