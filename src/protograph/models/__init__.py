"""Other people's models: how to call them, what they return, where their readout is."""
