package demo

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"github.com/google/uuid"
)

// file writes objects of the import format, one a line.
type file struct{ out *bufio.Writer }

func newFile(w io.Writer) *file { return &file{out: bufio.NewWriterSize(w, 64<<10)} }

// The objects of the import format.
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
		Type          string        `json:"type"`
		ID            uuid.UUID     `json:"id"`
		ForkID        uuid.UUID     `json:"forkId"`
		PlayerID      uuid.UUID     `json:"playerId"`
		ReleaseNumber int           `json:"releaseNumber,omitempty"`
		StartedAt     time.Time     `json:"startedAt"`
		CompletedAt   *time.Time    `json:"completedAt,omitempty"`
		ScorePercent  *float64      `json:"scorePercent,omitempty"`
		Passed        *bool         `json:"passed,omitempty"`
		Skills        []skillResult `json:"skills"`
	}
	skillResult struct {
		SkillID  string `json:"skillId"`
		Attempts int    `json:"attempts"`
		Correct  int    `json:"correct"`
	}
)

// passScore is the lowest score of a passed play, in hundredths of a percent.
const passScore = 70_00

// finish completes the play with a score in hundredths of a percent.
func (p *play) finish(completed time.Time, score int) {
	p.CompletedAt = &completed
	p.ScorePercent = new(float64(score) / 100)
	p.Passed = new(score >= passScore)
}

// write writes an object.
func (f *file) write(object any) error {
	b, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = f.out.Write(append(b, '\n'))
	return err
}
