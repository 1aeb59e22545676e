"""Columns as frames of other libraries."""

from __future__ import annotations

_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3}


def _scale(unit: str | None) -> float | None:
    if unit is None or unit == "ns":
        return None
    if unit not in _UNITS:
        from flyball import InputError

        raise InputError(f"unit: there is no {unit!r}; there are: s, ms, us, ns")
    return _UNITS[unit]


def to_pandas(columns, unit):
    scale = _scale(unit)
    import pandas

    if hasattr(pandas.DataFrame, "from_arrow"):
        frame = pandas.DataFrame.from_arrow(columns)
    else:
        import pyarrow

        frame = pyarrow.table(columns).to_pandas()
    if scale is None:
        return frame
    times = [name for name in frame.columns if name.endswith("_ns")]
    frame[times] = frame[times].astype("float64") / scale
    return frame.rename(columns={name: name[:-2] + unit for name in times})


def to_polars(columns, unit):
    scale = _scale(unit)
    import polars

    frame = polars.DataFrame(columns)
    if scale is None:
        return frame
    times = [name for name in frame.columns if name.endswith("_ns")]
    scaled = [(polars.col(name) / scale).alias(name[:-2] + unit) for name in times]
    order = [name[:-2] + unit if name in times else name for name in frame.columns]
    return frame.with_columns(scaled).select(order)


def to_parquet(columns, path):
    try:
        import polars
    except ImportError:
        pass
    else:
        polars.DataFrame(columns).write_parquet(path)
        return
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("to_parquet takes polars or pyarrow: pip install 'flyball[polars]'") from None
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
