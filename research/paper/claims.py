"""What our numbers say of claims that the paper makes in words or by few cases: mostly, more than, four of five."""

from research.paper.findings import Estimate, Verdict


def mostly(share: Estimate, is_claimed: bool = True) -> Verdict:
    """Whether something comes out in most cases, as a sentence or a picture of the paper has it.

    Args:
        share: In which share of cases it comes out.
        is_claimed: Whether the paper says that it does, or that it does not.

    >>> mostly(Estimate(0.9, 0.6, 1.0, 10)), mostly(Estimate(0.9, 0.6, 1.0, 10), is_claimed=False)
    ('agrees', 'differs')
    >>> mostly(Estimate(0.6, 0.4, 0.8, 10))
    'undecided'
    """
    if share.low is not None and share.low > 0.5:
        return "agrees" if is_claimed else "differs"
    if share.high is not None and share.high < 0.5:
        return "differs" if is_claimed else "agrees"
    return "undecided"


def above_zero(difference: Estimate) -> Verdict:
    """Whether the interval of a difference lies above 0, as the paper claims.

    >>> above_zero(Estimate(0.2, 0.1, 0.3, 10)), above_zero(Estimate(0.2, -0.1, 0.5, 10))
    ('agrees', 'undecided')
    """
    if difference.low is not None and difference.low > 0:
        return "agrees"
    return "differs" if difference.high is not None and difference.high < 0 else "undecided"


def occasionally(share: Estimate) -> Verdict:
    """Whether something comes out at times, neither never nor mostly, as the paper has it.

    >>> occasionally(Estimate.share(4, 20)), occasionally(Estimate.share(0, 20)), occasionally(Estimate.share(19, 20))
    ('agrees', 'undecided', 'differs')
    """
    if share.low is not None and share.low > 0.5:
        return "differs"
    return "agrees" if share.mean > 0 and share.high is not None and share.high < 1 else "undecided"


def against_count(ours: Estimate, theirs: Estimate, larger_is_better: bool | None) -> Verdict:
    """Two counts, each with its interval: where these overlap, neither is known to be the larger, nor that they agree.

    Args:
        ours: Our share.
        theirs: The paper's, of few cases.
        larger_is_better: Which direction is better; ``None`` where neither is: the two may then differ.

    >>> against_count(Estimate.share(14, 15), Estimate.share(5, 5), larger_is_better=True)
    'undecided'
    >>> against_count(Estimate.share(1, 50), Estimate.share(5, 5), larger_is_better=True)
    'worse'
    """
    assert ours.low is not None
    assert ours.high is not None
    assert theirs.low is not None
    assert theirs.high is not None
    if ours.low <= theirs.high and theirs.low <= ours.high:
        return "undecided"
    if larger_is_better is None:
        return "differs"
    return "better" if (ours.mean > theirs.mean) == larger_is_better else "worse"
