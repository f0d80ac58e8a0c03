import pytest
from jinja2 import TemplateNotFound, UndefinedError

from protograph.report import templating
from protograph.report.templating import rendered, trusted


def test_text_is_escaped_and_on_one_line_and_our_own_is_not():
    template = templating._environment().from_string("{{ told }}|{{ ours }}")
    told = template.render(told="a <b>\u202e\n\x1b[2J", ours=trusted("<b>&amp;\n</b>"))
    assert told == "a &lt;b&gt; [2J|<b>&amp;\n</b>"


def test_what_is_missing_is_an_error():
    with pytest.raises(TemplateNotFound, match=r"^nothing\.html$"):
        rendered("nothing.html")
    with pytest.raises(UndefinedError, match=r"^'told' is undefined$"):
        templating._environment().from_string("{{ told }}").render()
