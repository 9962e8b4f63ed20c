# Runs the server "$@", which inherits file 3, the lock, until nobody holds the pipe open for writing.
#
# Nobody joins a server that is ending: the pipe is removed first, and a process that opened it before is waited for.
# SIGINT asks PostgreSQL for a fast shutdown, repeatedly because a process that has just begun may miss it; after 20
# seconds SIGQUIT asks for an immediate one. The watcher is a process of its own, so losing either shell does no harm.
pipe=$1; shift
exec 4<"$pipe"
"$@" 4<&- & server=$!
(
  exec 3>&-
  while read -r line <&4; do :; done
  rm -f "$pipe"
  while read -r line <&4; do :; done
  n=0
  while
    signal=INT; [ $n -lt 20 ] || signal=QUIT; [ $n -lt 26 ] || signal=KILL
    kill -$signal $server 2>/dev/null
  do n=$((n+1)); sleep 1; done
) >/dev/null 2>&1 & watcher=$!
wait $server
kill $watcher 2>/dev/null
