"""Soft hyphens at the ends of lines, which part words."""

from shingletools.system.deferred import later, regex

SOFT = "\u00ad"
LINE_END = r"[^\S\n]*\n[^\S\n]*"
PARTED = later(lambda: regex.compile(rf"(?<=[\p{{L}}\p{{M}}]){SOFT}{LINE_END}(?=\p{{L}})"))
