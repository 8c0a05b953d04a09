"""The section ``training.augmentation``: changes of training pairs, from which a model learns what texts look like."""

from seq2seq_cli.config.schema.section import Probability, Section


class AugmentationConfig(Section):
    """Changes of training pairs, drawn again in each epoch: the probability of each. See docs/training.md."""

    enabled: bool = True
    """false: the training pairs are read as they are, whatever the other keys of this section say."""
    names: Probability = 0.5
    """Per pair with a name that both sides share, such as Tom: another name is put in its place on both sides."""
    numbers: Probability = 0.7
    """Per pair with a number whose digits both sides share: other digits on both sides, separators as they are."""
    joined: Probability = 0.02
    """Per pair: one to three other pairs follow it on its line."""
    final_mark: Probability = 0.1
    """Per line that ends with a mark on both sides: the marks are left out, or exchanged for others."""
    capitals: Probability = 0.05
    """Per line: all letters are capitals, each word begins with one, or the first letter is small, on both sides."""
    kept: Probability = 0.05
    """Per pair: a word that both sides share, or one that is added to both, becomes <unk>, as addresses, tags and emoji
    are when it translates."""
    marks: Probability = 0.02
    """Per line: spaces before the marks of the source, or quotation marks around both sides."""
    typos: Probability = 0.0
    """Per line: two neighbouring letters of the source are exchanged."""
