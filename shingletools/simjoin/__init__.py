"""simjoin: sketches into the pairs at or above a threshold."""
