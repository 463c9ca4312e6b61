"""Cargo build scripts: build.rs for ROCm, or for both vendors."""
