"""The door of the API's processes."""

import os

from django.core.wsgi import get_wsgi_application

from config.guard import require_guarded_log

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
require_guarded_log()
