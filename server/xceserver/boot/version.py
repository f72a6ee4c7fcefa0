"""The version of what is installed."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("xce")
except PackageNotFoundError:  # run from a source tree that is not installed
    VERSION = "0+source"
