"""The section ``training``: its length, its batches, its optimiser, its noise, its changed pairs."""

from typing import Annotated, Literal

from pydantic import Field

from seq2seq_cli.config import choices
from seq2seq_cli.config.schema import Dropout, NonNegativeInt, Positive, PositiveInt, Probability, Section, Seed

NonNegative = Annotated[float, Field(ge=0.0)]


class AugmentationConfig(Section):
    """Changes of training pairs, drawn again in each epoch: the probability of each. See docs/training.md."""

    enabled: bool = True
    """false: the training pairs are read as they are, whatever the other keys of this section say."""
    names: Probability = 0.75
    """Per pair with a name that both sides share, such as Tom: another name, or a quantity, on both sides."""
    numbers: Probability = 0.7
    """Per pair with a number whose digits both sides share: other digits on both sides, written as in the pairs; of
    a date of an English source, the day and the month."""
    joined: Probability = 0.02
    """Per pair: one to three other pairs follow it on its line."""
    final_mark: Probability = 0.2
    """Per line that ends with a mark on both sides: the marks are left out, or exchanged for others."""
    capitals: Probability = 0.03
    """Per line: the source is in small letters or in capitals."""
    kept: Probability = 0.05
    """Per pair: a word that both sides share, or one that is added to both, becomes <unk>, as addresses, tags and emoji
    are when it translates."""
    marks: Probability = 0.04
    """Per line: the source has no commas, or spaces before its marks, or both sides have quotation marks."""
    typos: Probability = 0.0
    """Per line: two neighbouring letters of the source are exchanged."""


class HelpConfig(Section):
    """Pairs of related languages, word lists and texts in one language, where the prepared folder has them."""

    least_covered: Probability = 0.5
    """Smallest share that a text or related pairs must have of the neighbouring units in the validation split that the
    own pairs lack, to be trained on; s2s prepare tells it. Those with less have taught little, and taken time."""
    own_share: Probability = 0.5
    """Smallest fraction of an epoch's tokens that is of the own pairs; the others are drawn from what helps. 0: an
    epoch has all that helps."""


class TrainingConfig(Section):
    """The training: its length, its batches, its optimiser, its noise."""

    epochs: PositiveInt = 10
    """Passes over the training pairs."""
    max_minutes: Positive | None = None
    """Minutes after which training ends; null: no limit. The last validation is included, unless it is the first, whose
    duration is not known. With a limit, short epochs may have no validation: all take about a twentieth of the time."""
    patience: PositiveInt | None = None
    """Validations in a row without a better score after which training ends; null: no such end."""
    best_metric: Literal["auto", choices.Metric] = "auto"
    """Held-out score that the best weights are chosen by: highest BLEU, highest chrF, or lowest loss. auto: bleu, but
    chrf below 1,000 held-out pairs, and where no tokenisation of BLEU finds the words of the target language."""
    keep: NonNegativeInt = 0
    """Number of newest validated epochs whose weights are kept, besides the best and the last."""
    batch_size: PositiveInt = 768
    """Size of a batch in the unit of batch_unit, all processes together."""
    batch_unit: choices.BatchUnit = "token"
    """token: tokens of the side that has more, padding included. sentence: sentence pairs."""
    optimiser: choices.Optimiser = "adam"
    """adam: Adam. adamw: Adam with decoupled weight decay. adadelta: Adadelta, which goes with lr 1.0. muon: Muon for
    the matrices within the network, adamw for the others. sgd: plain stochastic gradient descent."""
    lr: Positive = 1e-3
    """Learning rate; the highest one where a warm-up or a schedule changes it."""
    weight_decay: NonNegative = 0.0
    """Weight decay, for adamw, muon and sgd only."""
    schedule: Literal["constant", "cosine", "halving"] = "constant"
    """Learning rate after the warm-up. constant: lr. cosine: down to 0 at the end. halving: halved every halving_every
    epochs."""
    halving_after: NonNegative = 5.0
    """For halving only: epochs before the learning rate is halved for the first time."""
    halving_every: Positive = 1.0
    """For halving only: epochs between two halvings."""
    warmup_steps: NonNegativeInt = 0
    """Updates during which the learning rate climbs to lr."""
    loss_unit: Literal["token", "sentence"] = "token"
    """The loss that is minimised: its mean per target token, or per sentence (summed over its tokens)."""
    clip_norm: Positive | None = 1.0
    """Largest norm of the gradient; a larger one is scaled down to it; null: any norm."""
    doubly_stochastic: NonNegative = 0.0
    """Weight of a penalty on source words whose attention weights, summed over the target words, differ from 1."""
    label_smoothing: Dropout = 0.0
    """Fraction of the true word's probability that is spread over the whole vocabulary."""
    sampled_words: PositiveInt | None = None
    """Number of words drawn per batch. The softmax is estimated from these and the words of the batch, which makes a
    step cheaper. null, or a vocabulary that is no larger: the whole softmax."""
    teacher_forcing: Probability = 0.5
    """Probability that the decoder is fed the true words of a sentence and not its own predictions."""
    scheduled_sampling: PositiveInt | None = None
    """Updates after which the probability of teacher_forcing has halved, on its way to 0; it is drawn for each word
    then. null: it stays, and is drawn for each sentence."""
    bpe_dropout: Dropout = 0.0
    """Probability that a merge of BPE is skipped, drawn again in each epoch; needs text.unit bpe."""
    choose_decoding: bool = False
    """After training, choose coverage_penalty, length_penalty with its alpha, and similar_pairs of decoding by the
    validation split, except those that --set states. A fifteenth of max_minutes is kept for it, at most 30 seconds."""
    augmentation: AugmentationConfig = AugmentationConfig()
    """Changed training pairs."""
    help: HelpConfig = HelpConfig()
    """What helps to train, besides the pairs of the two languages."""
    members: PositiveInt = 1
    """Models that are trained side by side, each with a seed of its own and its share of the cores, and translate
    together: the probability of a token is the mean of theirs."""
    seed: Seed = 1
    """Seed of all random numbers; on a CPU, the same seed gives the same run if max_minutes is null and precision is
    stated."""
    deterministic: bool = False
    """On a GPU, use deterministic algorithms; torch warns of an operation that has none."""
    device: choices.DeviceName = "auto"
    """Device to compute on. auto: the first of cuda, mps and cpu that is available."""
    precision: choices.PrecisionName = "auto"
    """Precision of matrix products. fp32: full. bf16-mixed: bf16 numbers wherever that is safe. auto: the fastest one
    on the device."""
    save_minutes: Positive = 2.0
    """Most minutes between two checkpoints; one more is saved after each validation."""
    license: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", examples=["mit", "cc-by-4.0"])] | None = None
    """Licence of the model that its card states, by the name that Hugging Face has for it; null: none is stated."""
    author: Annotated[str, Field(min_length=1, max_length=200, examples=["Anna Smith"])] | None = None
    """Name of the maker of the model that its card and its page state; null: none is stated."""

    @property
    def metric(self) -> choices.Metric:
        """The metric of best_metric; for auto, BLEU, until the corpus decides."""
        return "bleu" if self.best_metric == "auto" else self.best_metric

    @property
    def seconds_to_choose(self) -> float:
        """The seconds at the end of max_minutes in which decoding keys are chosen."""
        return min(30.0, 4 * self.max_minutes) if self.choose_decoding and self.max_minutes else 0.0
