from research.paper.findings import Estimate
from research.paper.item import Need, Results
from research.paper.items.table1 import ITEM
from research.paper.settings import Settings
from research.paper.sheet import Finding, Sheet


def test_a_cell_a_set_and_seed():
    cells = ITEM.cells(Settings(table1_seeds=(0, 1), without=("mnist-sp", "benzene", "ba-grid", "mutagenicity")))
    assert [cell.key for cell in cells] == [
        ("ba-house", "seed 0"),
        ("ba-house", "seed 1"),
        ("solubility", "seed 0"),
        ("solubility", "seed 1"),
    ]
    assert cells[1].needs == (Need("model", "ba-house", 1),)
    assert len(ITEM.cells(Settings())) == 30


def found(nodes, edges, accuracy):
    return {"num_graphs": 708, "num_nodes": nodes, "num_edges": edges, "test_accuracy": accuracy, "num_rest": 70}


def written(settings):
    sheet = Sheet()
    values = {("solubility", f"seed {n}"): found(9445, 19470, accuracy) for n, accuracy in enumerate((0.9, 0.92, 0.94))}
    ITEM.write(Results(values, settings, {}), sheet)
    return sheet.parts


def test_statistics_and_accuracies_stand_beside_the_papers():
    table, *findings = written(Settings())
    assert table.rows[0][:7] == ("Solubility", "ours", 708, 9445, 9445 / 708, 19470, 27.5)
    assert table.rows[0][9] == "0.9000 0.9200 0.9400"
    assert table.rows[1] == ("", "paper", 708, 9445, 13.34, 9735, 13.75, 0.8717, None, None)
    assert [(one.claim, one.verdict) for one in findings] == [
        ("Solubility: nodes a graph", "agrees"),
        ("Solubility: edges a graph", "agrees"),
        ("Solubility: test accuracy of the GCN", "undecided"),
    ]
    assert (findings[1].ours.mean, findings[1].note) == (13.75, "edges counted once, as the paper does here")
    assert findings[2].ours == Estimate.of([0.9, 0.92, 0.94], least=0.0, most=1.0)


def test_what_explains_a_difference_is_noted():
    images = {"num_graphs": 70_000, "num_nodes": 5_250_000, "num_edges": 98_675_314, "test_accuracy": 0.84}
    values = {("benzene", f"seed {n}"): found(1, 1, 0.88 + n / 1000) for n in range(3)}
    sheet = Sheet()
    ITEM.write(Results(values | {("mnist-sp", "seed 0"): images}, Settings(device="cuda"), {}), sheet)
    findings = {part.claim: part for part in sheet.parts if isinstance(part, Finding)}
    assert findings["MNIST-sp: edges a graph"].note == (
        "edges counted once, as the paper does here; its total of 41,798,306 is of the 60,000 training graphs, ours "
        "of all"
    )
    benzene = findings["Benzene: test accuracy of the GCN"]
    assert (benzene.verdict, benzene.note) == ("worse", "why: docs/datasets.md, measured by make benzene")


def test_a_quick_run_says_nothing_of_sizes():
    findings = [part for part in written(Settings(is_quick=True)) if isinstance(part, Finding)]
    assert [one.claim for one in findings] == ["Solubility: test accuracy of the GCN"]
