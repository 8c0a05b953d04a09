"""The machine: device, precision, memory, environment variables, process group."""
