"""How far rules agree with the models they are of: what is measured of a model, and which models of real data sets."""
