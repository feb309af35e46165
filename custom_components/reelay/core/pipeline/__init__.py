"""The one state machine: intake, transitions, lanes, and the stages that a task passes."""
