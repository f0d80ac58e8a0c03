"""Where shards of work run: in this process, or by Ray on the machines of a cluster."""
