"""The XCE server: controller, scheduler, worker."""
