"""A whole run as a model: several actions under a scheduler, and engines that explore it."""
