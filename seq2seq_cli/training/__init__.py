"""One start or resume of a run: plan, session, loop, recorder, report."""
