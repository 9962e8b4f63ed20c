"""Prints rows, sums and counts of an export: the types are given, so that an empty file has them too."""
import sys
import pandas as pd

d = pd.read_csv(sys.argv[1], dtype={"playId": "string", "forkId": "string", "releaseNumber": "Int64", "playerKey": "string",
                "playerLabel": "string", "durationSeconds": "Int64", "completed": "boolean", "scorePercent": "Float64",
                "passed": "boolean", "skills": "string"}, parse_dates=["startedAt", "completedAt"])
print(len(d), d.playerKey.nunique(), int(d.durationSeconds.sum()), int(d.completed.sum()), int(d.passed.sum()),
      f"{d.scorePercent.sum():.2f}", int(d.completedAt.isna().sum()))
