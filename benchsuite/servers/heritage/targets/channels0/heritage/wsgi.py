"""What gunicorn serves: Django without Channels."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "heritage.settings")
application = get_wsgi_application()
