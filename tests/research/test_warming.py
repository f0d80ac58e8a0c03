from protograph._base.compiling import compiling_told
from research.paper.warming import warm_up


def test_nothing_is_compiled_after_it():
    warm_up()
    compiled = []
    with compiling_told(compiled.append):
        warm_up()
    assert compiled == []
