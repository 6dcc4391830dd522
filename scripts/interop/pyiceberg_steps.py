"""Writes to a catalog as pyiceberg does, step by step. Prints after each what a reader must see now, as a line of JSON,
and waits for a line before the next. Arguments: the catalog's properties as JSON, the namespace, and `all` where the catalog
keeps every snapshot in the table's metadata or `current` where it keeps only the one."""

import json
import sys

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.types import DoubleType, LongType

properties, namespace, history = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
catalog = load_catalog("interop", type="rest", **properties)
name = f"{namespace}.t"


def rows_of(table, snapshot_id=None):
    scan = table.scan(snapshot_id=snapshot_id)
    columns = [field.name for field in scan.projection().fields]
    rows = scan.to_arrow().select(columns).to_pylist()
    return columns, [[None if row[c] is None else str(row[c]) for c in columns] for row in rows]


def tell(step, at=None, snapshot_id=None, **more):
    table = catalog.load_table(name)
    columns, rows = rows_of(table, snapshot_id)
    print(json.dumps({"step": step, "at": at, "columns": columns, "rows": rows, **more}), flush=True)
    sys.stdin.readline()


catalog.create_namespace_if_not_exists(namespace)
first = pa.table({"id": pa.array([1, 2, 3, 2**62], pa.int64()), "name": ["a", "b", None, "ü 🐢"]})
table = catalog.create_table(name, schema=first.schema)
tell("create a table")
table.append(first)
tell("append")
table.append(pa.table({"id": pa.array([5, 6], pa.int64()), "name": ["e", "b"]}))
tell("append again")
appended = catalog.load_table(name).current_snapshot().snapshot_id

other = catalog.load_table(name)
table.delete("id = 2")
tell("delete")
# `other` still is at the snapshot before the delete: its commit loses the race.
try:
    other.append(pa.table({"id": pa.array([7], pa.int64()), "name": ["late"]}))
    tell("a lost commit race, won at the second try")
except (CommitFailedException, ValidationException):
    tell("a lost commit race, given up")

if history == "current":
    # There are no earlier snapshots to read, and such a catalog (Nessie 0.99.0) answers 500 to this writer's change of a schema.
    print(json.dumps({"step": "end"}), flush=True)
    sys.exit()

table = catalog.load_table(name)
with table.update_schema() as update:
    update.rename_column("name", "label")
    update.add_column("score", DoubleType())
    update.add_column("count", LongType())
tell("change the schema")
table.append(pa.table({"id": pa.array([8], pa.int64()), "label": ["eight"], "score": [0.5], "count": pa.array([9], pa.int64())}))
tell("append under the new schema")
with table.update_schema() as update:
    update.delete_column("count")
with table.update_schema() as update:
    update.add_column("count", LongType())
tell("drop a column and add its name again")
table.overwrite(
    pa.table({"id": pa.array([8], pa.int64()), "label": pa.array([None], pa.string()), "score": pa.array([None], pa.float64()), "count": pa.array([1], pa.int64())}),
    overwrite_filter="id = 8",
)
tell("overwrite")
table.manage_snapshots().create_tag(appended, "before").commit()
tell("read a tag", at="VERSION => 'before'", snapshot_id=appended)
tell("read a snapshot", at=f"VERSION => {appended}", snapshot_id=appended)
with table.update_spec() as update:
    update.add_identity("label")
table.append(pa.table({"id": pa.array([10, 11], pa.int64()), "label": ["p", "q"], "score": [1.5, -0.25], "count": pa.array([None, 2], pa.int64())}))
tell("append in partitions")
print(json.dumps({"step": "end"}), flush=True)
