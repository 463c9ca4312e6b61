"""Run programs for GPUs on the processor: unmodified binaries, kernels from their sources."""
