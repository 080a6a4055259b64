"""The types of objects and events: `from atrium.types import Task, AtriumEvent`. The clients do not load them; it takes 60 ms."""

from __future__ import annotations

from .generated.objects import *  # noqa: F403
