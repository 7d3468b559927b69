"""What Daphne serves: the way to the layer, on whose other end the workers are."""

from channels.asgi import get_channel_layer

channel_layer = get_channel_layer()
