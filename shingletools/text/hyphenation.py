"""Soft hyphens that divide words at the ends of lines."""

from shingletools.system.lazy_imports import lazy, regex

SOFT = "\u00ad"
LINE_END = r"[^\S\n]*\n[^\S\n]*"
PARTED = lazy(lambda: regex.compile(rf"(?<=[\p{{L}}\p{{M}}]){SOFT}{LINE_END}(?=\p{{L}})"))
