import ast
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

import protograph.report
from protograph.explanation import Prototype
from protograph.report.figure import classes_figure, plot
from protograph.report.scene import ClassScenes, lay_out, scene_of
from protograph.report.sheet import save_figure
from tests.explanation.by_hand import asking


def explanations_figure(explanations):
    return classes_figure(lay_out(explanations))


def prototype_figure(explanation, prototype, **options):
    return classes_figure([ClassScenes(explanation, [scene_of(explanation, prototype)])], **options)


def texts(figure):
    return [text.get_text() for text in figure.texts]


def legend_of(figure):
    """Label and colour of each entry of the first legend."""
    legend = figure.legends[0]
    colors = [to_hex(handle.get_markerfacecolor()).upper() for handle in legend.legend_handles]
    return list(zip([text.get_text() for text in legend.get_texts()], colors, strict=True))


def drawn(axes, label):
    """The collection with that label."""
    (item,) = [one for one in axes.collections if one.get_label() == label]
    return item


def places(axes, label):
    return np.asarray(drawn(axes, label).get_offsets())


def fills(axes, label):
    return [to_hex(color).upper() for color in drawn(axes, label).get_facecolors()]


def segments(axes, label):
    return np.array(drawn(axes, label).get_segments()).reshape(-1, 2, 2)


def check_that_nothing_is_clipped(figure):
    """Every text lies on the sheet, no two of them overlap, and every graph lies in its frame."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # only then does matplotlib know where the legend is
    renderer = canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in figure.texts]
    boxes += [text.get_window_extent(renderer) for legend in figure.legends for text in legend.get_texts()]
    sheet = figure.bbox
    for i, box in enumerate(boxes):
        assert sheet.x0 <= box.x0 < box.x1 <= sheet.x1
        assert sheet.y0 <= box.y0 < box.y1 <= sheet.y1
        for other in boxes[:i]:
            assert not box.overlaps(other)
    for axes in figure.axes:
        for item in axes.collections:
            if item.get_label() in ("nodes", "pale nodes"):
                low, high = np.sort([axes.get_xlim(), axes.get_ylim()], axis=1).T
                offsets = np.asarray(item.get_offsets()).reshape(-1, 2)
                assert ((offsets > low) & (offsets < high)).all()


def test_a_row_has_two_pictures_and_says_what_it_is(explain):
    figure = explanations_figure([explain()])
    assert len(figure.axes) == 2
    assert texts(figure) == [
        "Class 1: house",
        "455 of 2,000 graphs are predicted as it; found by PAGE",
        "Prototype 1: p = 0.9998, margin 8.52",
        "a house of four body nodes and one head node",
        "cluster 1, 312 graphs · 5 nodes, 6 edges · cut from graph 17, 5 of 9 nodes",
        "the prototype",
        "where it is in graph 17",
    ]
    check_that_nothing_is_clipped(figure)


def test_a_molecule_says_how_to_look_for_it(explain, house):
    pytest.importorskip("rdkit")
    names = ("C", "N", "O")
    found = replace(house, feature_names=names, pattern=asking(house.graph, names))
    figure = explanations_figure([explain(prototypes=[found], feature_names=names)])
    assert "SMARTS [#6]1~[#7]2~[#7]~[#7]~[#7]~1~2" in texts(figure)
    check_that_nothing_is_clipped(figure)


def test_the_legend_has_the_names_and_colours_of_what_is_drawn(explain, house):
    figure = explanations_figure([explain()])
    assert legend_of(figure) == [("head", "#D55E00"), ("body", "#56B4E9"), ("backbone", "#BBBBBB")]
    alone = Prototype(graph=house.graph, probability=1.0, margin=9.0)
    assert legend_of(prototype_figure(explain(), alone)) == [("head", "#D55E00"), ("body", "#56B4E9")]


def test_the_prototype_is_highlighted_where_it_was_cut_out(explain):
    alone, within = explanations_figure([explain()]).axes
    assert np.allclose(places(within, "nodes"), places(alone, "nodes"))
    assert fills(within, "nodes") == fills(alone, "nodes") == ["#D55E00", *["#56B4E9"] * 4]
    assert len(places(within, "pale nodes")) == 4
    assert fills(within, "pale nodes") == ["#ECECEC"] * 4
    assert np.allclose(segments(within, "edges"), segments(alone, "edges"))
    assert len(segments(within, "edges")) == 6
    assert len(segments(within, "pale edges")) == 5
    assert len(segments(within, "halo")) == 6
    assert "pale nodes" not in [item.get_label() for item in alone.collections]


def widths(axes, label):
    lines = next(item for item in axes.collections if item.get_label() == label)
    return np.asarray(lines.get_linewidths()).tolist()


def test_what_is_found_in_fewer_graphs_is_paler_and_thinner(explain, house, evidence):
    supported = replace(house, evidence=evidence, num_clusters=2)
    figure = explanations_figure([explain(prototypes=[supported])])
    assert texts(figure)[2:7] == [
        "Prototype 1: p = 0.9998, margin 8.52",
        "a house of four body nodes and one head node",
        "found in 88% of the graphs predicted as house and in 0.3% of the others",
        "cluster 1 of 2, 312 graphs · 5 nodes, 6 edges · cut from graph 17, 5 of 9 nodes",
        "paler nodes and thinner edges are found in fewer of the 40 graphs of its cluster that were looked at",
    ]
    check_that_nothing_is_clipped(figure)
    alone, within = figure.axes
    # 30 of 40 graphs have the head: a quarter of the way to white, of which pale is 72%.
    assert fills(alone, "nodes") == ["#DD7B2E", *["#56B4E9"] * 4]
    full = widths(within, "edges")[0] / widths(prototype_figure(explain(), house).axes[1], "edges")[0]
    assert full == 1.0  # in the source graph all is drawn in full
    first, second, *rest = widths(alone, "edges")
    assert first == pytest.approx(rest[0] * (0.35 + 0.65 * 0.75))
    assert second == pytest.approx(rest[0] * (0.35 + 0.65 * 0.5))
    assert len(set(rest)) == 1


def test_several_prototypes_and_classes_are_rows_and_sections(explain, house):
    figure = explanations_figure([explain(target=0, prototypes=[]), explain(prototypes=[house, house])])
    assert len(figure.axes) == 4
    assert texts(figure)[:3] == ["Class 0: no house", "No prototype was found.", "Class 1: house"]
    assert [text for text in texts(figure) if text.startswith("Prototype")] == [
        "Prototype 1: p = 0.9998, margin 8.52",
        "Prototype 2: p = 0.9998, margin 8.52",
    ]
    check_that_nothing_is_clipped(figure)


def test_names_that_matplotlib_would_read_otherwise_are_kept(explain):
    names = ("_hidden", "$x^2", "a" * 60)
    figure = explanations_figure([explain(feature_names=names, class_names=("a", "$\\broken\n\x07 name\ud800"))])
    assert [label for label, _ in legend_of(figure)] == ["_hidden", "$x^2", "a" * 27 + "…"]
    assert texts(figure)[0] == "Class 1: $\\broken name"
    check_that_nothing_is_clipped(figure)


@pytest.mark.parametrize("letter", ["W", "i"])
def test_long_names_are_cut_at_the_edge_of_the_sheet(letter, explain):
    figure = explanations_figure([explain(class_names=("a", letter * 500), explainer=letter * 500)])
    title, facts = texts(figure)[:2]
    assert title.endswith(f"{letter}…")
    assert facts.endswith(f"{letter}…")
    check_that_nothing_is_clipped(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    assert figure.texts[0].get_window_extent(renderer).width > 0.75 * figure.bbox.width


def test_a_font_that_the_user_names_fills_in(explain):
    with matplotlib.rc_context({"font.family": ["DejaVu Sans Mono"]}):
        figure = explanations_figure([explain()])
    assert figure.texts[0].get_fontfamily() == ["DejaVu Sans", "DejaVu Sans Mono"]


def test_continuous_features_have_a_colour_bar(explain, graph_of):
    graph = graph_of([(0, 1), (1, 2)], x=torch.tensor([[0.5], [1.5], [0.25]]))
    made = Prototype(graph=graph, probability=1.0, margin=9.0)
    figure = explanations_figure([explain(prototypes=[made], feature_names=("charge",))])
    assert [axes.get_label() for axes in figure.axes] == ["scale", ""]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["0.25", "1.5"]
    assert "charge" in texts(figure)
    assert figure.legends == []


@pytest.mark.parametrize(
    ("edges", "size"),
    [([], 1), ([], 5), ([(0, 1)], 2), ([(0, 0), (0, 1), (1, 1)], 2), ([(0, 1), (2, 3)], 6), ([], 0)],
    ids=["single node", "no edges", "two nodes", "loops", "disconnected", "empty"],
)
def test_degenerate_graphs_are_drawn(edges, size, explain, graph_of, tmp_path):
    graph = graph_of(edges, num_nodes=size)
    nodes = list(range(size))
    cut = Prototype(graph=graph, probability=1.0, margin=9.0, source=3, nodes=nodes)
    explanation = explain(prototypes=[cut], source_graphs={3: graph_of([*edges, (size, size)], num_nodes=size + 2)})
    figure = explanations_figure([explanation])
    alone, within = figure.axes
    loops = [edge for edge in edges if edge[0] == edge[1]]
    assert [patch.get_label() for patch in alone.patches] == ["loop"] * len(loops)
    assert [patch.get_label() for patch in within.patches].count("pale loop") == 1
    if size:
        assert len(places(alone, "nodes")) == size
        assert len(segments(alone, "edges")) == len(edges) - len(loops)
        check_that_nothing_is_clipped(figure)
    save_figure(figure, tmp_path / "figure.png")


def test_of_a_huge_graph_the_surroundings_are_drawn(explain, graph_of):
    path = graph_of([(i, i + 1) for i in range(1999)], num_nodes=2000)
    part = graph_of([(0, 1)], num_nodes=2)
    cut = Prototype(graph=part, probability=1.0, margin=9.0, source=0, nodes=[1001, 1000])
    figure = explanations_figure([explain(prototypes=[cut], source_graphs={0: path})])
    assert len(places(figure.axes[1], "nodes")) == 2
    assert len(places(figure.axes[1], "pale nodes")) == 498
    assert "where it is in graph 0 (500 of 2,000 nodes drawn)" in texts(figure)
    assert "2 nodes, 1 edge · cut from graph 0, 2 of 2,000 nodes" in texts(figure)


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".PNG"])
def test_the_same_explanation_gives_the_same_bytes(ending, explain, tmp_path):
    plot([explain()], tmp_path / f"a{ending}")
    with matplotlib.rc_context({"font.family": "serif", "savefig.bbox": "tight", "lines.linewidth": 9}):
        plot([explain()], tmp_path / f"b{ending}")
        assert matplotlib.rcParams["font.family"] == ["serif"]
    content = (tmp_path / f"a{ending}").read_bytes()
    assert content == (tmp_path / f"b{ending}").read_bytes()
    start = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[ending.lower()]
    assert content.startswith(start)
    assert not re.search(rb"Date|20\d\d-\d\d-\d\d", content)


def test_other_endings_are_refused_before_any_work(explain, monkeypatch):
    monkeypatch.setattr("protograph.report.figure.lay_out", lambda explanations: pytest.fail("work"))
    for path, name in (("a.jpg", r"a\.jpg"), (Path("figure"), "figure")):
        with pytest.raises(ValueError, match=rf"^path must end in \.png, \.svg or \.pdf, got {name}$"):
            plot([explain()], path)


def test_nothing_to_draw_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"^explanations must have at least one class to draw, got none$"):
        plot([], tmp_path / "a.png")


def test_without_matplotlib_the_error_says_what_to_install(explain, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"^pictures need matplotlib; pip install matplotlib$"):
        plot([explain()], tmp_path / "a.png")


def test_without_a_path_the_figure_is_shown(explain, monkeypatch):
    from matplotlib import pyplot

    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.append(pyplot.gcf()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pyplot.switch_backend("Agg")
    explain().plot()
    assert [len(figure.axes) for figure in shown] == [2]
    pyplot.close("all")


def test_matplotlib_and_networkx_are_imported_where_they_are_used():
    for path in Path(protograph.report.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] in ("matplotlib", "networkx", "scipy")]
