"""XCE measured beside its peers on one machine, in one run: `make bench`."""
