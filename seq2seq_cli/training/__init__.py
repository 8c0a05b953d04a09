"""One start or resume of a training: plan, session, loop, recorder, report."""
