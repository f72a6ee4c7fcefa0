#!/usr/bin/env python3
#XCE --queue night
"""Text."""
print()
