# SPDX-License-Identifier: Apache-2.0
import os
from typing import Any, Iterable, Iterator, Optional, Union

import pandas

Path = Union[str, "os.PathLike[str]"]
__version__: str

class Error(RuntimeError): ...
class NprofWarning(UserWarning): ...

class _Result:
    @property
    def columns(self) -> list[str]: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def rows(self) -> Iterator[dict[str, Any]]: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...
    def _repr_html_(self) -> str: ...

class Table(_Result):
    name: str

class Events(_Result): ...

class Answer(dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...

class Profile:
    @property
    def inputs(self) -> list[str]: ...
    @property
    def messages(self) -> str: ...
    @property
    def tables(self) -> list[str]: ...
    def table(self, name: str) -> Table: ...
    def events(
        self,
        columns: Union[None, str, Iterable[str]] = None,
        *,
        start: Optional[str] = None,
        end: Optional[str] = None,
        step: Optional[str] = None,
        tracks: Union[None, str, Iterable[str]] = None,
        names: Union[None, str, Iterable[str]] = None,
        where: Union[None, str, Iterable[str]] = None,
        others: Optional[Iterable[dict[str, Any]]] = None,
    ) -> Events: ...
    def report(self, *options: str) -> str: ...
    def ask(self, tool: str, **arguments: Any) -> Answer: ...
    def verdict(
        self,
        *,
        device: Optional[str] = None,
        step: Optional[int] = None,
        rank: Optional[int] = None,
        from_ns: Optional[int] = None,
        to_ns: Optional[int] = None,
    ) -> Answer: ...
    def explain(self, what: str, *, row: Optional[int] = None, name: Optional[str] = None) -> Answer: ...
    def window(
        self,
        from_ns: int,
        to_ns: int,
        *,
        device: Optional[str] = None,
        step: Optional[int] = None,
        rank: Optional[int] = None,
        buckets: Optional[int] = None,
    ) -> Answer: ...
    def sql(self, query: str, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Answer: ...
    def diff(
        self,
        new: Profile,
        *,
        device: Optional[str] = None,
        step: Optional[int] = None,
        rank: Optional[int] = None,
        from_ns: Optional[int] = None,
        to_ns: Optional[int] = None,
    ) -> Answer: ...
    def ranks(self, *, step: Optional[int] = None) -> Answer: ...
    def schema(self, *, table: Optional[str] = None) -> Answer: ...
    def _repr_html_(self) -> str: ...

def open(
    *inputs: Path,
    analyzers: Union[str, Iterable[str]] = (),
    decoder: Optional[str] = None,
    keep_going: bool = False,
    jobs: int = 0,
    start: Optional[str] = None,
    end: Optional[str] = None,
    step: Optional[str] = None,
    tracks: Union[None, str, Iterable[str]] = None,
    names: Union[None, str, Iterable[str]] = None,
    where: Union[None, str, Iterable[str]] = None,
    others: Optional[Iterable[dict[str, Any]]] = None,
) -> Profile: ...
