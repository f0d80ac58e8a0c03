"""Sentences as text, the words of a pattern marked."""

from collections.abc import Sequence

from torch_geometric.data import Data

from protograph.graphs.validate import node_count
from protograph.report.markup import Marks, match_class, tag, text


def words_of(graph: Data) -> tuple[str, ...] | None:
    """The word of each node; ``None`` where a graph is no sentence.

    >>> words_of(Data(num_nodes=2, sentence="lovely film")), words_of(Data(num_nodes=3, sentence="lovely film"))
    (('lovely', 'film'), None)
    """
    tokens, sentence = graph.get("tokens"), graph.get("sentence")
    if isinstance(tokens, list | tuple) and all(isinstance(token, str) for token in tokens):
        words = tuple(tokens)
    elif isinstance(sentence, str):
        words = tuple(sentence.split(" "))
    else:
        return None
    return words if len(words) == node_count(graph) else None


def sentence_markup(words: Sequence[str], marks: Marks, label: str, *, is_alone: bool = False) -> str:
    """A sentence as a paragraph of HTML.

    Args:
        words: The word of each node.
        marks: What is marked.
        label: What it is, for those who cannot see it; it is its title.
        is_alone: Whether only the marked words are written, with dots for what is between them.

    >>> sentence_markup(["a", "<b>"], Marks({1: 0}), "graph 3", is_alone=True)
    '<p class="pg-sentence" title="graph 3"><span class="pg-gap">…</span> <mark data-node="1" data-match="0">&lt;...'
    """
    written, last = [], -1
    for node, word in enumerate(words):
        if node in marks.nodes:
            if is_alone and node > last + 1:
                written.append('<span class="pg-gap">…</span>')
            number, last = marks.nodes[node], node
            color = match_class(number) if marks.is_numbered and number is not None else None
            written.append(tag("mark", text(word), class_=color, data_node=node, data_match=number))
        elif not is_alone:
            written.append(tag("span", text(word), data_node=node))
    if is_alone and last + 1 < len(words):
        written.append('<span class="pg-gap">…</span>')
    return tag("p", " ".join(written), class_="pg-sentence", title=label)
