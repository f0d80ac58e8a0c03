"""Pictures of prototypes, and the report that holds them all."""
