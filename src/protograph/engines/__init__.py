"""Work on a cluster: what is done in this process by default may be done by Ray."""
