"""Everything that changes while a model learns, so that stopped and resumed equals never stopped."""

from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from seq2seq_cli.model.seq2seq import Seq2Seq


@dataclass(kw_only=True)
class Progress:
    """How far the training is."""

    epoch: int = 0
    """Epochs done."""
    position: int = 0
    """Batches of the running epoch done."""
    step: int = 0
    """Updates done since the run began."""
    epoch_loss: float = 0.0
    """Summed loss of the running epoch, in nats."""
    epoch_tokens: int = 0
    """Target tokens of the running epoch."""
    best_bleu: float | None = None
    """Highest BLEU on the validation split so far."""
    best_loss: float | None = None
    """Lowest validation loss among the epochs of that BLEU."""
    best_epoch: int = 0
    """The epoch that `best` holds, counted from 1; 0 before the first."""
    baseline: float | None = None
    """Hard attention: moving average of a target word's log-likelihood; None before the first step."""
    seconds: float = 0.0
    """Time spent training, validation included, over all sittings."""

    def restart_epoch(self) -> None:
        """Go back to the start of the running epoch."""
        self.position, self.epoch_loss, self.epoch_tokens = 0, 0.0, 0

    def improves(self, bleu: float, loss: float) -> bool:
        """Whether these validation scores beat the best so far: a higher BLEU, or the same with a lower loss."""
        if self.best_bleu is None or self.best_loss is None:
            return True
        return (bleu, -loss) > (self.best_bleu, -self.best_loss)


@dataclass(kw_only=True)
class TrainingState:
    """What a checkpoint to resume from holds.

    1. the weights,
    2. the optimiser's moments and step counts,
    3. the progress: epoch, position in it, running sums and averages, best score,
    4. the random states that dropout and teacher forcing draw from (the order of the pairs follows from the seed
       and the epoch alone).
    """

    model: Seq2Seq
    optimiser: torch.optim.Optimizer
    progress: Progress = field(default_factory=Progress)

    def capture(self) -> dict[str, Any]:
        """The numbered list as tensors and plain values."""
        device = next(self.model.parameters()).device
        return {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": asdict(self.progress),
            "random": {
                "cpu": torch.get_rng_state(),
                "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
            },
        }

    def restore(self, captured: dict[str, Any]) -> None:
        """Take up where `capture` was called; KeyError or RuntimeError when it was called on another model."""
        self.model.load_state_dict(captured["model"])
        settings = [{k: v for k, v in group.items() if k != "params"} for group in self.optimiser.param_groups]
        self.optimiser.load_state_dict(captured["optimiser"])
        # The moments are resumed; learning rate and the like come from the config, which may have been changed.
        for group, setting in zip(self.optimiser.param_groups, settings, strict=True):
            group.update(setting)
        self.progress = Progress(**captured["progress"])
        torch.set_rng_state(captured["random"]["cpu"])
        device = next(self.model.parameters()).device
        if device.type == "cuda" and captured["random"]["cuda"] is not None:
            torch.cuda.set_rng_state(captured["random"]["cuda"], device)


def fresh_state(model: Seq2Seq, *, lr: float) -> TrainingState:
    """The state before the first step."""
    fused = next(model.parameters()).device.type in ("cpu", "cuda")
    return TrainingState(model=model, optimiser=torch.optim.Adam(model.parameters(), lr=lr, fused=fused))
