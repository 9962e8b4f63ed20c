#!/usr/bin/env bash
# Draws the plays of all forks by week in the terminal, then saves them as plays.csv, with the header row once.
# Needs curl and jq. Before: export DG_KEY. Run: bash dg.sh
set -euo pipefail
url=https://dg.example.org
from=2025-04-01 # the first day, to today. Days are UTC days
fork=""         # such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty: all forks
group=""        # such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players

[[ $url =~ ^(https://|http://(localhost|127\.0\.0\.1|\[::1])(:|/|$)) ]] || { echo "url must begin with https://" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# get FILE PATH PERIOD saves an answer. --retry waits for Retry-After after 429 and 503; a transfer that breaks off is an
# error, and so is a redirect. The key stays out of the list of processes.
get() {
  curl -sS --fail-with-body -L --max-redirs 0 --retry 8 -o "$work/$1" -G "$url/api/v1/forks$2" ${3:+-d "$3"} \
    -H @- <<<"Authorization: Bearer $DG_KEY" || { cat "$work/$1" >&2; exit 1; }
}

# Periods of at most 366 days of each fork.
get forks.json ""
jq -r --arg from "$from" --arg fork "$fork" --arg group "$group" '
  .items[] | select($fork == "" or .id == $fork) | .id as $id
  | range($from + "T00:00:00Z" | fromdate; now; 366 * 86400)
  | "/\($id) from=\(todate[:10])&to=\([. + 365 * 86400, now] | min | todate[:10])" + (if $group == "" then "" else "&groupId=" + $group end)
' "$work/forks.json" >"$work/periods"

while read -r path period; do
  get stats.json "$path/stats" "$period"
  if jq -e .suppressed "$work/stats.json" >/dev/null; then
    title=$(jq -r --arg path "$path" '.items[] | select("/" + .id == $path).title' "$work/forks.json")
    echo "$title, $period: hidden, fewer than 5 members of the group played. This is not zero." >&2
  else
    jq -c --arg path "$path" '{path: $path, daily}' "$work/stats.json" >>"$work/daily"
    echo "$path $period" >>"$work/shown"
  fi
done <"$work/periods"
[[ -e $work/shown ]] || { echo "Nothing is shown." >&2; exit 1; }

# The chart: plays of each fork by week (UTC). Day 0 of the count is a Thursday.
jq -rs --slurpfile forks "$work/forks.json" '
  ($forks[0].items | map({("/" + .id): .title}) | add) as $titles
  | group_by(.path) | map({title: $titles[.[0].path], weeks: (map(.daily[])
      | group_by(.date + "T00:00:00Z" | (fromdate / 86400 + 3) / 7 | floor) | map(map(.plays) | add))})
  | ([1, .[].weeks[]] | max) as $most
  | sort_by(-(.weeks | add))[]
  | (.title + " " * 36)[:36] + ("      \(.weeks | add)  ")[-8:]
    + (.weeks | map(7 * . / $most | ceil as $height | "▁▂▃▄▅▆▇█"[$height:$height + 1]) | add)
' "$work/daily"

while read -r path period; do
  get part.csv "$path/exports/csv" "$period"
  # The header row from the first part, the rows from every part.
  [[ -e $work/plays.csv ]] || head -n 1 "$work/part.csv" >"$work/plays.csv"
  tail -n +2 "$work/part.csv" >>"$work/plays.csv"
done <"$work/shown"
mv "$work/plays.csv" plays.csv
