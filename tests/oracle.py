"""PAGE written out naively, straight from the paper's equations, loop by loop: slow, plain, and the judge of the rest.

Nothing here is shared with the library. Where the paper leaves room it follows the documented decisions: the sigmoid of
the average, ties within a tolerance go to the tuple that is first in order of node numbers, a start's nodes are barred
from later starts, a list that is full takes no more nodes.
"""

import math
from dataclasses import dataclass
from itertools import combinations, product

Vector = list[float]


# ---- Phase 1 -----------------------------------------------------------------------------------------------------


def scale(points, clip=3.0):
    """Each dimension by its median and inter-quartile range / 1.349; values beyond the clip count as the clip."""
    columns = []
    for d in range(len(points[0])):
        values = [point[d] for point in points]
        mean = sum(values) / len(values)
        spread = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349
        if spread == 0:
            spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        if spread > 0:
            middle = quantile(values, 0.5)
            columns.append([max(-clip, min(clip, (value - middle) / spread)) for value in values])
    return [list(row) for row in zip(*columns, strict=True)]


def quantile(values, share):
    """Linear between the two nearest in order."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def agreement(labels, others):
    """Prediction strength: the smallest share, over clusters, of pairs that the other labels put together too."""
    shares = []
    for cluster in sorted(set(labels)):
        members = [i for i, label in enumerate(labels) if label == cluster]
        pairs = list(combinations(members, 2))
        together = [1 for i, j in pairs if others[i] == others[j]]
        shares.append(len(together) / len(pairs) if pairs else 0.0)
    return min(shares)


@dataclass
class Mixture:
    weights: list[float]
    means: list[Vector]
    covariances: list[list[Vector]]


def expectation_maximisation(points, responsibilities, *, regularisation=1e-6, tolerance=1e-3, max_iterations=100):
    """EM from given responsibilities; returns the mixture, the label of each point and the mean log-likelihood."""
    mixture = maximisation(points, responsibilities, regularisation)
    bound = -math.inf
    for _ in range(max_iterations):
        responsibilities, new_bound = expectation(points, mixture)
        mixture = maximisation(points, responsibilities, regularisation)
        if abs(new_bound - bound) < tolerance:
            break
        bound = new_bound
    responsibilities, _ = expectation(points, mixture)
    return mixture, [row.index(max(row)) for row in responsibilities], new_bound


def expectation(points, mixture):
    responsibilities, total = [], 0.0
    for point in points:
        logs = [
            math.log(weight) + log_gaussian(point, mean, covariance)
            for weight, mean, covariance in zip(mixture.weights, mixture.means, mixture.covariances, strict=True)
        ]
        norm = log_sum_exp(logs)
        total += norm
        responsibilities.append([math.exp(value - norm) for value in logs])
    return responsibilities, total / len(points)


def maximisation(points, responsibilities, regularisation):
    num_clusters, dim = len(responsibilities[0]), len(points[0])
    weights, means, covariances = [], [], []
    for cluster in range(num_clusters):
        mass = sum(row[cluster] for row in responsibilities)
        mean = [
            sum(row[cluster] * point[d] for row, point in zip(responsibilities, points, strict=True)) / mass
            for d in range(dim)
        ]
        covariance = [[0.0] * dim for _ in range(dim)]
        for a, b in product(range(dim), repeat=2):
            for row, point in zip(responsibilities, points, strict=True):
                covariance[a][b] += row[cluster] * (point[a] - mean[a]) * (point[b] - mean[b]) / mass
            if a == b:
                covariance[a][b] += regularisation
        weights.append(mass / len(points))
        means.append(mean)
        covariances.append(covariance)
    return Mixture(weights, means, covariances)


def log_gaussian(point, mean, covariance):
    dim = len(point)
    determinant, distance = 1.0, mahalanobis(point, mean, covariance)
    for pivot in eliminate(covariance)[1]:
        determinant *= pivot
    return -0.5 * (dim * math.log(2 * math.pi) + math.log(determinant) + distance**2)


def mahalanobis(point, mean, covariance):
    offset = [p - m for p, m in zip(point, mean, strict=True)]
    solved = eliminate(covariance, offset)[0]
    return math.sqrt(sum(a * b for a, b in zip(offset, solved, strict=True)))


def eliminate(matrix, right=None):
    """Gaussian elimination: the solution for ``right`` and the pivots."""
    size = len(matrix)
    rows = [list(row) for row in matrix]
    right = [0.0] * size if right is None else list(right)
    for i in range(size):
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            for column in range(i, size):
                rows[j][column] -= factor * rows[i][column]
            right[j] -= factor * right[i]
    solution = [0.0] * size
    for i in reversed(range(size)):
        known = sum(rows[i][j] * solution[j] for j in range(i + 1, size))
        solution[i] = (right[i] - known) / rows[i][i]
    return solution, [rows[i][i] for i in range(size)]


def nearest(points, members, mean, covariance, count):
    """The ``count`` members with the smallest Mahalanobis distance to the mean."""
    return sorted(members, key=lambda i: mahalanobis(points[i], mean, covariance))[:count]


# ---- Phase 2 -----------------------------------------------------------------------------------------------------


def raw_score(vectors, scoring):
    if scoring == "product":
        return sum(math.prod(vector[d] for vector in vectors) for d in range(len(vectors[0])))
    inner = [sum(a * b for a, b in zip(v, w, strict=True)) for v, w in combinations(vectors, 2)]
    if scoring == "arithmetic":
        return sum(inner) / len(inner)
    return math.prod(max(0.0, value) for value in inner) ** (1 / len(inner))


def matching_scores(embeddings, scoring="product"):
    """The tensor Y as a dictionary from tuple to score."""
    k = len(embeddings)
    sizes = [len(h) for h in embeddings]
    tuples = list(product(*(range(size) for size in sizes)))
    scores = {t: raw_score([embeddings[q][t[q]] for q in range(k)], scoring) for t in tuples}
    result = {}
    for t in tuples:
        total = 0.0
        for q in range(k):
            fibre = [scores[(*t[:q], i, *t[q + 1 :])] for i in range(sizes[q])]
            highest = max(fibre)
            softmax = math.exp(scores[t] - highest) / sum(math.exp(x - highest) for x in fibre)
            total += softmax * sigmoid(sum(fibre) / sizes[q])
        result[t] = total / k
    return result


def sigmoid(value):
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def log_sum_exp(values):
    highest = max(values)
    return highest + math.log(sum(math.exp(value - highest) for value in values))


def find_starts(log_scores, budget, tolerance, *, distinct=True):
    """The b-th best tuple for b = 1, 2, ...; a start's nodes are barred from later starts."""
    left = dict(log_scores)
    starts = []
    while len(starts) < budget and left:
        best = max(left.values())
        if best == -math.inf:
            break
        chosen = min(t for t, value in left.items() if value >= best - tolerance)
        starts.append(chosen)
        if distinct:
            left = {t: v for t, v in left.items() if not any(a == b for a, b in zip(t, chosen, strict=True))}
        else:
            del left[chosen]
    return starts


def walk(log_scores, neighbours, start, *, decay, max_nodes, max_iterations, tolerance):
    """One session. Returns the k node lists, and for each node the tuple in which it was chosen first."""
    k = len(start)
    current_scores = dict(log_scores)
    lists = [[] for _ in range(k)]
    partners = [[] for _ in range(k)]
    chosen = start
    for iteration in range(max_iterations + 1):
        for q in range(k):
            if chosen[q] not in lists[q] and len(lists[q]) < max_nodes:
                lists[q].append(chosen[q])
                partners[q].append(chosen)
        for q in range(k):
            for t in current_scores:
                if t[q] == chosen[q]:
                    current_scores[t] -= math.log(decay)
        if all(len(found) == max_nodes for found in lists) or iteration == max_iterations:
            break
        candidates = list(product(*(neighbours[q][chosen[q]] for q in range(k))))
        best = max((current_scores[t] for t in candidates), default=-math.inf)
        if best == -math.inf:
            break
        chosen = min(t for t in candidates if current_scores[t] >= best - tolerance)
    return lists, partners


def search(
    embeddings,
    neighbours,
    features,
    *,
    budget,
    decay,
    max_nodes,
    max_iterations,
    scoring,
    tolerance,
    distinct=True,
):
    """All sessions on k graphs; tuples whose features differ have a score of zero and are never chosen."""
    k = len(embeddings)
    scores = matching_scores(embeddings, scoring)
    logs = {
        t: math.log(value) if all(features[q][t[q]] == features[0][t[0]] for q in range(k)) else -math.inf
        for t, value in scores.items()
    }
    starts = find_starts(logs, budget, tolerance, distinct=distinct)
    options = {
        "decay": decay,
        "max_nodes": max_nodes,
        "max_iterations": max_iterations,
        "tolerance": tolerance,
    }
    return [(start, *walk(logs, neighbours, start, **options)) for start in starts]
