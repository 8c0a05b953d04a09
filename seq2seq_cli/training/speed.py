"""The speed of training on this machine, by some updates of a model that is thrown away."""

import statistics
import time

import torch

from seq2seq_cli.compute.device import choose_device, choose_precision, threads_among
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.batches import collate, epoch_order
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.learning.training_state import fresh_state
from seq2seq_cli.learning.update import Updater
from seq2seq_cli.model.build import build_model
from seq2seq_cli.training.dial import FEW_PAIRS, Budget

_WARM_UP, _TIMED = 3, 9
"""Updates before the timed ones, and timed ones."""
_BESIDE = 0.93
"""Speed of a model beside another one, with which it shares caches and memory, per speed alone: 0.91 to 0.95."""


def measure_budget(config: Config, corpus: PreparedCorpus, minutes: float, members: int | None = None) -> Budget:
    """The budget of a training in so many minutes, by the speed of updates with a config fitted to the corpus.

    `members` are models that translate together; None: as many as there is time for.
    """
    train, training = corpus.split("train"), config.training
    order = epoch_order(train, size=training.batch_size, unit=training.batch_unit, seed=training.seed, epoch=0)
    device = choose_device(training.device)
    src, tgt = (len(codec.vocabulary) for codec in corpus.codecs)
    model = build_model(config.model, src_size=src, tgt_size=tgt).to(device).train()
    updater = Updater(fresh_state(model, training, choose_precision(training.precision, device)), training)

    def speed(models: int) -> float:
        rates = []
        with threads_among(models):
            for number in range(_WARM_UP + _TIMED):
                begun = time.perf_counter()
                done = updater.update(collate(train, order[number % len(order)]).to(device), fraction_done=0.0)
                rates.append(done.tokens / (time.perf_counter() - begun))
        return statistics.median(rates[_WARM_UP:])

    own, *others = (corpus.split(name).tokens.sum() for name in corpus.manifest.trained(training.help.least_covered))
    may_be_several = len(train) > FEW_PAIRS if members is None else members > 1
    alone, shares = speed(1), device.type == "cpu" and may_be_several
    return Budget(
        pairs=len(train),
        tokens_per_epoch=int(train.tgt.lengths.sum()) + len(train),
        minutes=minutes,
        stated_members=members,
        own_share=max(training.help.own_share, own / (own + sum(others))),  # of little help, all is read
        tokens_per_second=alone,
        # A model of two has half of the threads; of one thread, or of a GPU, half of the speed.
        side_by_side=_BESIDE * 2 * speed(2) / alone if shares and torch.get_num_threads() > 1 else 1.0,
    )
