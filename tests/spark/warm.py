"""pyspark's daemon, whose forks are the workers, with all that tasks load; they do not search that for garbage.

A worker does after each task, which with these modules takes longer than what a task of a test has to do.
"""

import gc

import pandas
import pyarrow
from pyspark import daemon

from shingletools.spark import run

__all__ = ["pandas", "pyarrow", "run"]

if __name__ == "__main__":
    gc.freeze()
    daemon.manager()
