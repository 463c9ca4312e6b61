"""The detection rule as a shell script, for Make and Meson."""
