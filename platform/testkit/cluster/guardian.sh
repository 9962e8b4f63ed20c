# Waits until the maker of the cluster has ended, then kills what works in the folder $1 and removes it.
cat >/dev/null
while found=$(find /proc -mindepth 2 -maxdepth 2 -name cwd -lname "$1*" 2>/dev/null); [ "$found" ]; do
    for cwd in $found; do
        process=${cwd#/proc/}
        kill -9 "${process%/cwd}" 2>/dev/null
    done
    sleep 0.05
done
# A killed PostgreSQL leaves a small segment of shared memory, which its lock file names.
for lock in "$1"/*/data*/postmaster.pid; do
    [ -e "$lock" ] && ipcrm -m "$(awk 'NR == 7 { print $2 }' "$lock")"
done
rm -rf "$1"
