"""No route of its own: what arrives by HTTP goes to Django's views, as Channels does by itself."""

routes = []
