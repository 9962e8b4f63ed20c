# clients/run.sh, table.sh and other scripts source this file. work is their temporary folder.

say() { printf '\n== %s\n' "$1"; }

# awaits tries a command for a minute, while the last program in the background runs.
awaits() {
	for _ in $(seq 300); do
		"$@" 2>/dev/null && return
		kill -0 $! 2>/dev/null || break
		sleep 0.2
	done
	echo "stopped, or silent for a minute:" "$@" >&2
	cat "$work"/*.log >&2
	return 1
}

# demo PORT builds and serves the demo, with the ops server on PORT - 1. It sets base, key and socket.
demo() {
	(cd "$root" && go build -trimpath -o "$work/dg" ./app)
	base=http://127.0.0.1:$1
	"$work/dg" serve --demo --data-dir "$work/data" --addr "127.0.0.1:$1" --ops-addr "127.0.0.1:$(($1 - 1))" \
		>"$work/dg.log" 2>"$work/err.log" &
	awaits grep -q curl "$work/dg.log"
	key=$(grep -oE 'dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+' "$work/dg.log" | head -1)
	socket=$(sed -n 5p "$work/data/cluster/postmaster.pid")
}
