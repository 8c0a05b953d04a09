"""A sitting of a training: plan, session, loop, recorder, report."""
