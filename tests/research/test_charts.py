from research.paper.charts import legend, new_figure


def test_one_axes_or_an_array_of_them_without_a_frame():
    figure, axes = new_figure(4, 3)
    assert figure.get_size_inches().tolist() == [4, 3]
    assert not axes.spines["top"].get_visible()
    assert new_figure(4, 3, columns=3, rows=2)[1].shape == (2, 3)
    axes.plot([1, 2], label="a line")
    legend(axes)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a line"]
    assert not axes.get_legend().get_frame_on()
