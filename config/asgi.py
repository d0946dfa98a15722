"""The door of the live process: everything that waits."""

import os

from django.core.asgi import get_asgi_application

from config.guard import require_guarded_log

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()
require_guarded_log()
