"""Reelay's core: pure asyncio Python that runs the same in Home Assistant, the dry run and the tests."""
