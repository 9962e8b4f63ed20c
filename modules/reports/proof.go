package reports

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// Proof identifies the content of a report on all players under pseudonyms: equal values prove equal
// content. Pseudonyms are not part of it, because they never change within a history of the database.
type Proof struct {
	Tag string // of the whole content; "" if more plays than Query.MaxHashed are unsealed
	// Months are tags of a month's plays, "2026-01=Jx3k9Qab, 2026-02=0aZ-_9xQ", up to the month
	// that exceeds MaxHashed.
	Months string
}

// wireVersion counts changes of the bytes of statistics and CSV that no other part of program shows.
// TestBytesOfReportsChangeWithTheirVersion fails when it must rise.
const wireVersion = 1

// program is what the bytes of a report depend on, besides the data.
var program = programOf(csvHeader, games.SkillIDs())

func programOf(header string, skills []string) string {
	return fmt.Sprintf("%d\n%s%s\n", wireVersion, header, strings.Join(skills, "\n"))
}

// prove computes Header.Proof, on the primary if a replica fails. On an error it returns the failed
// snapshot, for the caller to close.
func (s *Service) prove(ctx context.Context, snap *snapshot) (*snapshot, error) {
	for s.options.FixedPseudonyms {
		err := snap.prove(ctx)
		if err == nil {
			break
		}
		if snap, err = s.reopen(ctx, snap, err); err != nil {
			return snap, err
		}
	}
	return snap, nil
}

const (
	// historySQL differs after a restore or a failover, and is equal on a standby: players that an
	// import adds again have other pseudonyms under the same ordinals.
	historySQL = `/* reports.history */ select concat_ws(' ', s.system_identifier,
	greatest(c.timeline_id, r.min_recovery_end_timeline,
	  (select received_tli from pg_stat_wal_receiver)),
	(select oid from pg_database where datname = current_database()), 'players'::regclass::oid)
	from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`

	hashedDaysSQL = `/* reports.hashedDays */ select d.day, 0, d.hash from ` + segment.CleanDays + ` d
 where d.org_id = @org and d.fork_id = @fork and d.day >= @from and d.day < @to and d.hash is not null
 order by d.day`

	// hashedPlaysSQL hashes the first @maxHashed + 1 plays by month. The nested loop keeps the order
	// of the ranges.
	hashedPlaysSQL = `/* reports.hashedPlays */
select date_trunc('month', started_at at time zone 'UTC')::date, count(*)::int, ` + segment.PlaysHash + `
  from (select p.* from unnest(@starts::timestamptz[], @ends::timestamptz[]) r (lo, hi), lateral (
    select * from plays where org_id = @org and fork_id = @fork and started_at >= r.lo
      and started_at < r.hi order by started_at, id offset 0) p limit @maxHashed + 1) p
 group by 1 order by 1`
)

// hashed is the hash of the plays of a day or month.
type hashed struct {
	Date  time.Time
	Plays int // that had to be read
	Hash  int64
}

func (s *snapshot) hashed(ctx context.Context, sql string) ([]hashed, error) {
	rows, _ := s.conn.Query(ctx, sql, s.args) // CollectRows returns its error
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[hashed])
	return found, apperr.Annotate(err, "reports: proof")
}

func (s *snapshot) prove(ctx context.Context) error {
	left := s.query.MaxHashed
	if left == 0 || s.grouped() || s.ReportingMode != org.Pseudonymous {
		return nil
	}
	var history string
	if err := s.conn.QueryRow(ctx, historySQL).Scan(&history); err != nil {
		return apperr.Annotate(err, "reports: proof")
	}
	days, err := s.hashed(ctx, hashedDaysSQL)
	if err != nil {
		return err
	}
	var clean []segment.SealedDay
	for _, d := range days {
		clean = append(clean, segment.SealedDay{Date: d.Date})
	}
	p := s.query.Period
	s.args["starts"], s.args["ends"] = segment.Gaps(clean, p.From, p.End())
	s.args["maxHashed"] = left
	plays, err := s.hashed(ctx, hashedPlaysSQL)
	if err != nil {
		return err
	}
	months := make([]int64, monthsBetween(p.From, p.End().Add(-day))+1)
	proven := len(months)
	for _, h := range slices.Concat(days, plays) {
		month := monthsBetween(p.From, h.Date)
		months[month] ^= h.Hash
		if left -= h.Plays; left < 0 {
			proven = month
			break
		}
	}
	s.Proof = newProof(program+history, s.query, months, proven)
	return nil
}

func monthsBetween(a, b time.Time) int {
	return (b.Year()-a.Year())*12 + int(b.Month()-a.Month())
}

// newProof makes the proof of months, the first of which are proven, under a program and a history.
func newProof(program string, q Query, months []int64, proven int) *Proof {
	p := &Proof{}
	from := q.Period.From
	for i, hash := range months[:proven] {
		month := time.Date(from.Year(), from.Month()+time.Month(i), 1, 0, 0, 0, 0, time.UTC)
		sum := sha256.Sum256(fmt.Append(nil, program, hash))
		p.Months += month.Format(", 2006-01=") + base64.RawURLEncoding.EncodeToString(sum[:6])
	}
	p.Months = strings.TrimPrefix(p.Months, ", ")
	if proven == len(months) {
		p.Tag = fmt.Sprint(program, q.ForkID, q.Period, months)
	}
	return p
}
