"""Writes pages of recordings; standard input lists them as JSON. Runs in a Python that has the package."""

import json
import pathlib
import sys

from diffsim import Recording, viewer

for job in json.load(sys.stdin):
    recordings = [Recording.read(path) for path in job["recordings"]]
    for recording in recordings:
        if recording.damage:
            sys.exit(recording.damage)
    page = viewer.page(recordings, title=job["title"], labels=job["labels"])
    pathlib.Path(job["page"]).write_text(page, encoding="utf-8")
