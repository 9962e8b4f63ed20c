package demo

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// file writes objects of the import format, one a line.
type file struct {
	out *bufio.Writer
	buf []byte
}

func newFile(w io.Writer) *file { return &file{out: bufio.NewWriterSize(w, 64<<10)} }

// The objects as they stand in the file; plays are appended by hand.
type (
	organisation struct {
		Type          string    `json:"type"`
		ID            uuid.UUID `json:"id"`
		Slug          string    `json:"slug"`
		Name          string    `json:"name"`
		Plan          string    `json:"plan"`
		ReportingMode string    `json:"reportingMode"`
	}
	user struct {
		Type         string    `json:"type"`
		ID           uuid.UUID `json:"id"`
		Email        string    `json:"email"`
		Name         string    `json:"name"`
		PasswordHash string    `json:"passwordHash,omitempty"`
		TOTPSecret   string    `json:"totpSecret,omitempty"`
		Locale       string    `json:"locale,omitempty"`
	}
	membership struct {
		Type           string    `json:"type"`
		OrganisationID uuid.UUID `json:"organisationId"`
		UserID         uuid.UUID `json:"userId"`
		Role           string    `json:"role"`
	}
	game struct {
		Type  string    `json:"type"`
		ID    uuid.UUID `json:"id"`
		Slug  string    `json:"slug"`
		Title string    `json:"title"`
	}
	fork struct {
		Type                  string          `json:"type"`
		ID                    uuid.UUID       `json:"id"`
		OrganisationID        uuid.UUID       `json:"organisationId"`
		GameID                uuid.UUID       `json:"gameId"`
		Slug                  string          `json:"slug"`
		Title                 string          `json:"title"`
		Major                 int             `json:"major"`
		Status                string          `json:"status"`
		Visibility            string          `json:"visibility"`
		SourceLocale          string          `json:"sourceLocale"`
		DeployedReleaseNumber *int            `json:"deployedReleaseNumber"`
		Suspended             bool            `json:"suspended"`
		Configuration         json.RawMessage `json:"configuration,omitempty"`
		CreatedAt             time.Time       `json:"createdAt"`
		UpdatedAt             time.Time       `json:"updatedAt"`
	}
	player struct {
		Type           string    `json:"type"`
		ID             uuid.UUID `json:"id"`
		OrganisationID uuid.UUID `json:"organisationId"`
		DisplayName    string    `json:"displayName"`
	}
	group struct {
		Type           string      `json:"type"`
		ID             uuid.UUID   `json:"id"`
		OrganisationID uuid.UUID   `json:"organisationId"`
		Name           string      `json:"name"`
		PlayerIDs      []uuid.UUID `json:"playerIds"`
	}
	play struct {
		id, fork, player uuid.UUID
		release          int // 0 is none
		started          time.Time
		finished         bool
		completed        time.Time
		score            int // hundredths of a percent
		passed           bool
		skills           []skillResult
	}
	skillResult struct {
		id                string
		attempts, correct int
	}
)

// write writes any object but a play.
func (f *file) write(object any) error {
	b, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = f.out.Write(append(b, '\n'))
	return err
}

const millis = "2006-01-02T15:04:05.000Z07:00"

func (f *file) play(p *play) error {
	b := f.buf[:0]
	b = append(b, `{"type":"play","id":"`...)
	b = appendUUID(b, p.id)
	b = append(b, `","forkId":"`...)
	b = appendUUID(b, p.fork)
	b = append(b, `","playerId":"`...)
	b = appendUUID(b, p.player)
	if p.release > 0 {
		b = append(b, `","releaseNumber":`...)
		b = strconv.AppendInt(b, int64(p.release), 10)
		b = append(b, `,"startedAt":"`...)
	} else {
		b = append(b, `","startedAt":"`...)
	}
	b = p.started.AppendFormat(b, millis)
	if p.finished {
		b = append(b, `","completedAt":"`...)
		b = p.completed.AppendFormat(b, millis)
		b = append(b, `","scorePercent":`...)
		b = strconv.AppendFloat(b, float64(p.score)/100, 'f', -1, 64)
		b = append(b, `,"passed":`...)
		b = strconv.AppendBool(b, p.passed)
		b = append(b, `,"skills":[`...)
	} else {
		b = append(b, `","skills":[`...)
	}
	for i, s := range p.skills {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"skillId":"`...)
		b = append(b, s.id...)
		b = append(b, `","attempts":`...)
		b = strconv.AppendInt(b, int64(s.attempts), 10)
		b = append(b, `,"correct":`...)
		b = strconv.AppendInt(b, int64(s.correct), 10)
		b = append(b, '}')
	}
	b = append(b, "]}\n"...)
	f.buf = b
	_, err := f.out.Write(b)
	return err
}

func appendUUID(b []byte, id uuid.UUID) []byte {
	const hex = "0123456789abcdef"
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			b = append(b, '-')
		}
		b = append(b, hex[c>>4], hex[c&15])
	}
	return b
}

// seeded is a source of randomness that is the same for the same seed: for numbers, ids and salts.
type seeded struct {
	*rand.Rand
	source *rand.ChaCha8
}

func newSeeded(seed uint64) seeded {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "dg demo")
	source := rand.NewChaCha8(key)
	return seeded{rand.New(source), source}
}

// id draws a random UUID (version 4).
func (s seeded) id() uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], s.Uint64())
	binary.BigEndian.PutUint64(id[8:], s.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// chance says yes with the probability.
func (s seeded) chance(p float64) bool { return s.Float64() < p }
