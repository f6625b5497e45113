"""What is compiled: when it is loaded, and for what. What it does is tested where it is used."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from numba import types

from motherlode.documents.text import kernels as module

_IMPORT = "import sys, motherlode.documents.analysis as reading"
_TELL = "print('numba' in sys.modules)"
_READ = "reading.analyse_one(reading.Raw('http://a.test/', b'<p>Owls', 'text/html'))"


def test_nobody_waits_for_the_compiler_who_reads_no_documents() -> None:
    command = [sys.executable, "-c", "; ".join([_IMPORT, _TELL, _READ, _TELL])]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.split() == ["False", "True"]


def test_what_can_be_kept_nowhere_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def njit(_signature: Any, *, cache: bool = False) -> Callable[[Any], Any]:
        def made(function: Any) -> Any:
            if cache:
                raise RuntimeError("cannot cache function: no locator available")
            return function

        return made

    monkeypatch.setattr(module, "njit", njit)
    assert module._compiled(types.int64, types.int64)(abs)(-1) == 1


def test_each_function_is_compiled_for_one_kind_of_arguments_and_for_no_other() -> None:
    made = [one for one in vars(module).values() if hasattr(one, "signatures")]
    assert len(made) >= 10
    for one in made:
        assert len(one.signatures) == 1
        with pytest.raises(TypeError):
            one("what nobody compiled it for")
