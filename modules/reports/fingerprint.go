package reports

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports/segment"
)

// Fingerprint identifies the content of a report on all players under pseudonyms: equal fingerprints
// prove equal content. It omits pseudonyms, which never change within a history of the database.
type Fingerprint struct {
	Tag string // tag of the whole content; "" if more than Query.MaxHashedPlays plays are unsealed
	// Months has a tag of each month's plays, "2026-01=Jx3k9Qab, 2026-02=0aZ-_9xQ", and ends
	// before the month in which the unsealed plays exceed MaxHashedPlays.
	Months string
}

// wireVersion counts changes of the bytes of statistics and CSV that neither the rest of wireFormat
// nor publicapi's statisticsFormat shows: a new field needs no new version.
// TestBytesOfReportsChangeWithTheirVersion fails after every change of the bytes.
const wireVersion = 1

// wireFormat is part of every Fingerprint, because the bytes of a report depend on it.
var wireFormat = wireFormatOf(csvHeader, games.SkillIDs())

func wireFormatOf(header string, skills []string) string {
	return fmt.Sprintf("%d\n%s%s\n", wireVersion, header, strings.Join(skills, "\n"))
}

const (
	// historySQL identifies a history of the database: it changes with a restore or failover, and
	// is equal on a standby. In another history, an import may give ordinals other pseudonyms.
	historySQL = `/* reports.history */ select concat_ws(' ', s.system_identifier,
	greatest(c.timeline_id, r.min_recovery_end_timeline,
	  (select received_tli from pg_stat_wal_receiver)),
	(select oid from pg_database where datname = current_database()), 'players'::regclass::oid)
	from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`

	// hashesSQL selects the hashes of clean days, and hashes the plays of other days by month. It
	// reads at most @maxHashed + 1 of these plays, in order.
	hashesSQL = `/* reports.hashed */
with days as (
  select day, hash from ` + segment.CleanDaysSQL + ` d
   where org_id = @org and fork_id = @fork and day >= @from::date and day < @to::date
     and hash is not null),
gaps as (
  select lag(day, 1, @from::date - 1) over (order by day) + 1 as lo, day as hi
    from (select day from days union all select @to::date) d),
plays as (
  select p.* from gaps, lateral (
    select * from plays where org_id = @org and fork_id = @fork
       and started_at >= lo::timestamp at time zone 'UTC'
       and started_at < hi::timestamp at time zone 'UTC' order by started_at, id offset 0) p
   where lo < hi limit @maxHashed + 1)
select day, 0, hash from days
union all (
select date_trunc('month', started_at at time zone 'UTC')::date, count(*)::int, ` +
		segment.PlaysHashSQL + `
  from plays group by 1 order by 1)`
)

type playsHash struct {
	Date  time.Time
	Plays int // number of plays that were read; 0 for a clean day
	Hash  int64
}

func (s *snapshot) addFingerprint(ctx context.Context) error {
	remaining := s.query.MaxHashedPlays
	if remaining == 0 || s.hasGroup() || s.ReportingMode != org.Pseudonymous {
		return nil
	}
	batch := &pgx.Batch{}
	batch.Queue(historySQL)
	batch.Queue(hashesSQL, s.args)
	results := s.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // reading the results has returned any error
	var history string
	if err := results.QueryRow().Scan(&history); err != nil {
		return fmt.Errorf("reports: history: %w", err)
	}
	rows, _ := results.Query() // CollectRows returns Query's error
	hashes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[playsHash])
	if err != nil {
		return fmt.Errorf("reports: fingerprint: %w", err)
	}
	p := s.query.Period
	months := make([]int64, monthsBetween(p.From, p.End().Add(-day))+1)
	hashedMonths := len(months)
	for _, h := range hashes {
		month := monthsBetween(p.From, h.Date)
		months[month] ^= h.Hash
		if remaining -= h.Plays; remaining < 0 {
			hashedMonths = month
			break
		}
	}
	s.Fingerprint = newFingerprint(wireFormat+history, s.query, months, hashedMonths)
	return nil
}

func monthsBetween(a, b time.Time) int {
	return (b.Year()-a.Year())*12 + int(b.Month()-a.Month())
}

// newFingerprint needs a hash for each month of the period. Only the first hashedMonths of months
// are complete. Every tag depends on format: the wireFormat and the history of the database.
func newFingerprint(format string, q Query, months []int64, hashedMonths int) *Fingerprint {
	f := &Fingerprint{}
	from := q.Period.From
	for i, hash := range months[:hashedMonths] {
		month := time.Date(from.Year(), from.Month()+time.Month(i), 1, 0, 0, 0, 0, time.UTC)
		sum := sha256.Sum256(fmt.Append(nil, format, hash))
		f.Months += month.Format(", 2006-01=") + base64.RawURLEncoding.EncodeToString(sum[:6])
	}
	f.Months = strings.TrimPrefix(f.Months, ", ")
	if hashedMonths == len(months) {
		f.Tag = fmt.Sprint(format, q.ForkID, q.Period, months)
	}
	return f
}
