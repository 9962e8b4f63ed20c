package reports

// What counts as sealed is defined here and nowhere else, for statistics, the list of reports, the sealer, the status and
// verify alike. Each constant stands in a statement in the place of a table; PostgreSQL plans it as if it were written out.
const (
	// versionByte is the first byte of everything that this version of the program has sealed. Compared as bytes: a value
	// that was cut off to nothing has another version, and is no error.
	versionByte = `'\x0` + string(rune('0'+segmentVersion)) + `'::bytea`

	// currentDays are the days that the sealer has looked at and whose plays have not changed since: those without a mark.
	currentDays = `(select d.* from fork_days d where substr(d.sums, 1, 1) = ` + versionByte + `
	 and not exists (select from unsealed_days u where u.fork_id = d.fork_id and u.day = d.day))`

	// sealedDays are the current days that are read from their segments. The others have too many plays for one.
	sealedDays = `(select d.* from ` + currentDays + ` d where d.head_bytes > 0)`

	// sealedMonths are the months that are read from their segments.
	sealedMonths = `(select m.* from fork_months m where substr(m.segment, 1, 1) = ` + versionByte + `
	 and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month))`
)
