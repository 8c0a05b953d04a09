"""The machine: device, precision, threads, memory, process group."""
