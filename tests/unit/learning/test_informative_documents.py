"""Which documents are asked about: doubtful, typical, and unlike each other."""

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.informative_documents import choose_informative


def rows(*documents: list[float]) -> csr_array:
    matrix = np.array(documents)
    return csr_array(matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def chosen(margins: list[float], documents: csr_array, count: int) -> list[int]:
    found = choose_informative(np.array(margins), documents, count)
    return [document.row for document in found]


ALIKE = rows(*[[1.0, 0.5]] * 3)


def test_of_documents_alike_the_one_nearest_to_the_plane_is_asked() -> None:
    assert chosen([0.5, -0.01, -0.9], ALIKE, 1) == [1]
    assert chosen([0.5, 0.8, 0.02], ALIKE, 1) == [2]


def test_a_document_that_many_resemble_comes_before_an_outlier() -> None:
    documents = rows([1.0, 0.1, 0.0], [1.0, 0.0, 0.1], [1.0, 0.1, 0.1], [0.0, 0.0, 1.0])
    assert chosen([0.1, 0.1, 0.1, 0.1], documents, 1)[0] != 3
    first = choose_informative(np.full(4, 0.1), documents, 1)[0]
    assert first.similar == 2


def test_no_two_copies_are_asked() -> None:
    documents = rows([1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0])
    assert chosen([0.01, 0.01, 0.4, 0.5], documents, 4) == [0, 2]


def test_there_may_be_nothing_to_ask() -> None:
    assert choose_informative(np.array([]), csr_array((0, 3)), 5) == []
    assert chosen([0.1], rows([1.0]), 5) == [0]
    assert chosen([0.0, 0.0], rows([1.0, 0.0], [0.0, 1.0]), 2) == [0, 1]


def test_a_document_without_known_terms_is_never_asked() -> None:
    assert chosen([0.0, 0.5], csr_array(np.array([[0.0, 0.0], [1.0, 0.0]])), 2) == [1]
