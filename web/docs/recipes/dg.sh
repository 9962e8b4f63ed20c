#!/usr/bin/env bash
# Draws the plays of all forks by week in the terminal, then saves them as plays.csv, with the header row once.
# Needs curl and jq. Before: export DG_KEY. Run: bash dg.sh
set -euo pipefail
url=https://dg.example.org
from=2025-04-01 # the first UTC day; the last is today
fork=""         # such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty for all forks
group=""        # such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty for all players

[[ $url =~ ^(https://|http://(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(/|$)) ]] || { echo "url must begin with https://" >&2; exit 1; }
[[ $url == https:* ]] || export no_proxy='*' # no proxy may see the unencrypted key
[[ $(jq -rn --arg day "$from" '$day + "T00:00:00Z" | fromdate | todate[:10]' 2>&1) == "$from" ]] || { echo "from must be a day: YYYY-MM-DD" >&2; exit 1; }
umask 077 # labels may be names
export LC_ALL=C # bytes
shopt -s extglob
blank=$'+([[:space:]]|\xef\xbb\xbf)' # and a byte order mark
key=${DG_KEY:-} key=${key##$blank} key=${key%%$blank}
[[ $key =~ ^dg_live_[0-9A-Za-z_]+$ ]] || { echo "DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes" >&2; exit 1; }
[[ ! -d plays.csv ]] || { echo "plays.csv is a folder: move it away" >&2; exit 1; }
work=$(mktemp -d ./dg.XXXXXX) # beside plays.csv, which is replaced at once
trap 'rm -rf "$work"' EXIT

# get FILE PATH PERIOD saves an answer. A transfer that breaks off or stalls is an error, and so is a redirect. The key stays out
# of the list of processes.
get() {
  local try status text
  for try in {1..8}; do
    status=$(curl -q -sS --compressed -y 60 -o "$work/$1" -D "$work/headers" -w '%{http_code}' -G "$url/api/v1/forks$2" ${3:+-d "$3"} \
      -H @- <<<"Authorization: Bearer $key") || exit 1
    if [[ $status == 200 ]]; then
      [[ $1 == *.csv ]] || jq -es '.[0] | has("items") or has("suppressed")' "$work/$1" >/dev/null 2>&1 ||
        { echo "The answer is not the service's: is a proxy or a sign-in page in between?" >&2; exit 1; }
      return
    fi
    [[ $status == 429 || $status == 503 ]] && ((try < 8)) || {
      text=$(head -c 9999 "$work/$1" | tr -d '\000-\037\177') text=${text//"$key"/…} # a gateway may repeat the key
      echo "/api/v1/forks$2: $status ${text:0:500}" >&2
      exit 1
    }
    # Retry-After has seconds, or a date within an hour. Anything else means five seconds.
    sleep "$(jq -Rrs '[split("\n")[] | capture("^retry-after: *(?<text>.*?)\\s*$"; "i").text][0] // ""
      | if test("^[0-9]{1,4}([.][0-9]+)?$") then . else
          (try (strptime("%a, %d %b %Y %H:%M:%S GMT") | mktime - now) catch -1) | if . >= 0 and . <= 3600 then . else 5 end end' "$work/headers")"
  done
}

# whole PLAYS: whether part.csv has the header row, whole rows to the last line end, and as many as there are plays.
whole() {
  awk -F, -v plays="$1" 'NR == 1 { ok = /^playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,/; cells = NF }
    { gsub(/"[^"]*"/, ""); if (NF != cells) ok = 0 } END { exit !(ok && NR - 1 == plays) }' "$work/part.csv" && [[ -z $(tail -c 1 "$work/part.csv") ]]
}

# A request covers at most 366 days of a fork.
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
    echo "$path $period $(jq .plays "$work/stats.json")" >>"$work/shown"
  fi
done <"$work/periods"
[[ -e $work/shown ]] || { echo "Nothing is shown: check the first day, the fork and the group." >&2; exit 1; }

# The chart: plays of each fork by week (UTC). The first and last week, which may be incomplete, are left out. Day 0 of the count is a Thursday.
jq -rs --slurpfile forks "$work/forks.json" '
  def week: .date + "T00:00:00Z" | (fromdate / 86400 + 3) / 7 | floor;
  ($forks[0].items | map({("/" + .id): .title}) | add) as $titles
  | (map(.daily[] | week) | min) as $first | (map(.daily[] | week) | max) as $last # a hidden week is a gap
  | group_by(.path) | map({title: $titles[.[0].path], plays: (map(.daily[].plays) | add),
      weeks: (reduce .[].daily[] as $d ([]; .[($d | week) - $first] += $d.plays))[1:$last - $first]})
  | ([.[].weeks[]] | max // 0) as $most
  | if $most == 0 then "Nothing to draw: no whole week has plays." else sort_by(-.plays)[]
  | (.title + " " * 36)[:36] + ("      \(.plays)  ")[-8:]
    + (.weeks | map(if . == null then " " else 7 * . / $most | ceil as $height | "▁▂▃▄▅▆▇█"[$height:$height + 1] end) | add) end
' "$work/daily"

while read -r path period plays; do
  for try in 1 2; do
    get part.csv "$path/exports/csv" "$period"
    whole "$plays" && break
    ((try < 2)) || { echo "$path, $period: rows are missing or cut, or this is no export. plays.csv is as it was." >&2; exit 1; }
    get stats.json "$path/stats" "$period" # once more: a play may have come in between
    plays=$(jq 'if .suppressed then "hidden" else .plays end' "$work/stats.json")
  done
  # The header row from the first part, the rows from every part.
  [[ -e $work/plays.csv ]] || head -n 1 "$work/part.csv" >"$work/plays.csv"
  tail -n +2 "$work/part.csv" >>"$work/plays.csv"
done <"$work/shown"
mv "$work/plays.csv" plays.csv
