# Runs the server "$@", which inherits file 3, the lock, until no process holds the pipe open for writing.
#
# No process joins an ending server: the pipe is removed first, and the processes that opened it before may finish.
# SIGINT asks PostgreSQL for a fast shutdown, repeatedly because a process that has just begun may miss it; after 20
# seconds SIGQUIT asks for an immediate one. The watcher is another process, so the server ends without either shell.
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
