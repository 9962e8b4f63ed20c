package segment

import "encoding/binary"

// Play has the columns of a play that go into reports.
type Play struct {
	StartedAt int64 // in milliseconds since 1970
	Player    int32 // players.ordinal
	Completed bool
	Score     int16 // hundredths of a percent; 0 unless completed
	Passed    bool
	Answers   []byte // each byte is a games.Answer
}

// A result packs the score, and whether the play was completed and passed, into two bytes.
const (
	resultScore     = 1<<14 - 1
	resultCompleted = 1 << 14
	resultPassed    = 1 << 15
)

func (p Play) result() uint16 {
	r := uint16(p.Score)
	if p.Completed {
		r |= resultCompleted
	}
	if p.Passed {
		r |= resultPassed
	}
	return r
}

func (p *Play) setResult(r uint16) {
	p.Score = int16(r & resultScore)
	p.Completed = r&resultCompleted != 0
	p.Passed = r&resultPassed != 0
}

// PlayColumns are the columns that Play.Scan reads, in this order.
const PlayColumns = `started_at, player, score, passed, answers`

// Scan decodes a row that begins with PlayColumns, in PostgreSQL's binary format. p.Answers is
// valid until the next row.
func (p *Play) Scan(v [][]byte) {
	p.StartedAt = Milliseconds(v[0])
	p.Player = int32(binary.BigEndian.Uint32(v[1]))
	p.Completed = v[2] != nil
	p.Score = 0
	if p.Completed {
		p.Score = int16(binary.BigEndian.Uint16(v[2]))
	}
	p.Passed = v[3] != nil && v[3][0] == 1
	p.Answers = v[4]
}

// epoch2000 is PostgreSQL's epoch, 2000-01-01 UTC, in milliseconds since 1970.
const epoch2000 = 946_684_800_000

// Milliseconds converts a binary timestamptz, in microseconds since 2000, to milliseconds since
// 1970. No precision is lost: dg stores whole milliseconds.
func Milliseconds(v []byte) int64 { return int64(binary.BigEndian.Uint64(v))/1000 + epoch2000 }
