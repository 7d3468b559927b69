"""What Daphne serves: the way to the layer, on whose other end the workers are."""

import os

from channels.asgi import get_channel_layer

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "heritage.settings")
channel_layer = get_channel_layer()
