#!/bin/sh
# Writes configs/deploy/notices.txt: the licences of everything in the binary.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C # fixes the order of modules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for system in linux darwin; do
	GOOS=$system go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./app >>"$work/modules"
done

notice() { # name, licence files
	printf '\n%s\n%s\n\n' "== $1" "$(printf '%s' "== $1" | tr -c '\n' '=')"
	shift
	cat "$@"
}

{
	echo "Third-party software in dg, with its licences."
	notice "Go standard library" "$(go env GOROOT)/LICENSE"
	sort -u "$work/modules" | while read -r path version folder; do
		files=$(find "$folder" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
		[ -n "$files" ] || { echo "no licence found in $path" >&2; exit 1; }
		# shellcheck disable=SC2086 # paths of the module cache have no blanks
		notice "$path $version" $files
	done
} >"$work/notices.txt"
# Only a complete file replaces the old one.
cat "$work/notices.txt" >configs/deploy/notices.txt
