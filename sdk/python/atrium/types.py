"""The types of objects and events: `from atrium.types import Task, AtriumEvent`."""

from __future__ import annotations

from .generated.objects import *  # noqa: F403
