"""One start or resume of a run: plan, session, loop, report; the dial, and teachers."""
