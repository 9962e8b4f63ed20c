"""What csvkit sees: its reader is agate."""
import sys
import agate

text, number, boolean, time = agate.Text(), agate.Number(), agate.Boolean(), agate.DateTime()
d = agate.Table.from_csv(sys.argv[1], column_types=[text, text, number, text, text, time, time, number, boolean, number, boolean, text])
c = {n: [v for v in d.columns[n].values()] for n in d.column_names}
print(len(d.rows), len(set(c["playerKey"])), sum(v or 0 for v in c["durationSeconds"]), sum(bool(v) for v in c["completed"]),
      sum(bool(v) for v in c["passed"]), f'{sum(v or 0 for v in c["scorePercent"]):.2f}', sum(v is None for v in c["completedAt"]))
