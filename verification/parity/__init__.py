"""V3: the same questions put to this package and to OpenMed 3.1.0, and the answers compared."""
