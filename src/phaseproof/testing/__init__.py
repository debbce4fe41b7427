"""Conformance tests for somebody else's adapter. Needs the extra ``testing`` (Hypothesis).

Write a driver of a few lines, subclass `AdapterConformance`, and let pytest find the class.
"""

from __future__ import annotations

from phaseproof.testing.conformance import AdapterConformance, AdapterDriver, LifecycleBrokenError

__all__ = ["AdapterConformance", "AdapterDriver", "LifecycleBrokenError"]
