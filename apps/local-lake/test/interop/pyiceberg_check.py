"""Uses a running local lake from PyIceberg: lists, scans, time travels, creates, appends, deletes, evolves, drops.

Opt-in, not part of the tests. Needs `pip install "pyiceberg[pyarrow]"`. Give it the JSON line that the lake prints:

    node apps/local-lake/src/main.ts --data DIR > line.json &
    python apps/local-lake/test/interop/pyiceberg_check.py line.json
"""

import json
import sys
import time

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.types import LongType

with open(sys.argv[1], encoding="utf-8") as file:
    line = json.loads(file.readline())

catalog = load_catalog(
    "lake", type="rest", uri=line["restEndpoint"], warehouse=line["warehouse"], token=line["token"]
)
namespaces = catalog.list_namespaces()
assert {("analytics",), ("models",)} <= set(namespaces), namespaces
print("tables", catalog.list_tables("analytics"), catalog.list_tables("models"))

started = time.time()
episodes = catalog.load_table("analytics.episodes")
history = [(s.summary.operation.value, s.summary["total-records"], s.summary["total-delete-files"]) for s in episodes.snapshots()]
print("history", history)
total = episodes.scan(selected_fields=("episode_id",)).to_arrow()
expected = int(episodes.current_snapshot().summary["total-records"])
assert total.num_rows == expected, (total.num_rows, expected)
assert len(set(total["episode_id"].to_pylist())) == expected
print("episodes", total.num_rows, f"{time.time() - started:.1f} s")

with_deletes = next(s for s in episodes.snapshots() if int(s.summary["total-delete-files"]) > 0)
rows = episodes.scan(snapshot_id=with_deletes.snapshot_id, selected_fields=("episode_id",)).to_arrow()
live = int(with_deletes.summary["total-records"]) - int(with_deletes.summary["total-position-deletes"])
assert rows.num_rows == live, (rows.num_rows, live)
print("with position deletes", rows.num_rows)
day = episodes.scan(row_filter="day = '2026-09-30' and success = true", limit=3).to_arrow()
print(day.to_pylist()[:1])
for ident in ("analytics.robots", "models.runs", "analytics.telemetry"):
    table = catalog.load_table(ident)
    arrow = table.scan().to_arrow()
    assert arrow.num_rows == int(table.current_snapshot().summary["total-records"])
    print(ident, arrow.num_rows, arrow.num_columns)

namespace = f"interop_{int(time.time() * 1000)}"
catalog.create_namespace(namespace)
name = f"{namespace}.t"
data = pa.table({"id": pa.array([1, 2, 3, 2**62], pa.int64()), "name": ["a", "b", None, "d"]})
table = catalog.create_table(name, schema=data.schema)
table.append(data)
table.append(data)
assert table.scan().to_arrow().num_rows == 8
other = catalog.load_table(name)
table.delete("id = 2")
assert table.scan().to_arrow().num_rows == 6
# The 409 of the lost race makes newer PyIceberg rebase and try again; older ones raise it.
try:
    other.append(data)
    print("lost race: retried")
except CommitFailedException as error:
    print("lost race:", str(error).splitlines()[0])
table = catalog.load_table(name)
with table.update_schema() as update:
    update.add_column("extra", LongType())
table.overwrite(pa.table({"id": pa.array([9], pa.int64()), "name": ["z"], "extra": pa.array([1], pa.int64())}))
assert table.scan().to_arrow().to_pylist() == [{"id": 9, "name": "z", "extra": 1}]
with table.transaction() as transaction:
    transaction.set_properties({"k": "v"})
table.manage_snapshots().create_tag(table.history()[0].snapshot_id, "first").commit()
assert "first" in catalog.load_table(name).refs()
with catalog.create_table_transaction(name + "_staged", schema=data.schema) as transaction:
    transaction.append(data)
assert catalog.load_table(name + "_staged").scan().to_arrow().num_rows == 4
catalog.rename_table(name, name + "_renamed")
registered = catalog.register_table(name + "_registered", catalog.load_table(name + "_renamed").metadata_location)
assert registered.scan().to_arrow().num_rows == 1
catalog.drop_table(name + "_registered")
catalog.purge_table(name + "_renamed")
catalog.drop_table(name + "_staged")
assert catalog.list_tables(namespace) == [], catalog.list_tables(namespace)
catalog.drop_namespace(namespace)
print("ok")
