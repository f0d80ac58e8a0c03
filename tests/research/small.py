"""Items without models, whose results are known."""

from research.paper.item import Cell, Item, Results
from research.paper.sheet import Sheet


def written(item, values, settings):
    """What an item writes from results that are known."""
    sheet = Sheet()
    item.write(Results(values, settings, {}), sheet)
    return sheet.parts


def squares(measured, num=4, before=lambda number: None):
    """An item whose cells are squares; what was measured is added to a list."""

    def compute(number):
        def measure(lab):
            before(number)
            measured.append(number)
            return {"square": number**2}

        return measure

    def write(results: Results, sheet: Sheet) -> None:
        sheet.table("squares", ("n", "square"), [[int(k[0]), v["square"]] for k, v in results.items()], "Squares.")

    return Item(
        name="squares",
        title="Squares",
        question="What are they?",
        cells=lambda settings: [Cell(key=(str(n),), compute=compute(n)) for n in range(num)],
        write=write,
    )
