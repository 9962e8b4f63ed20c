package importer

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

type organisation struct {
	ID            uuid.UUID `json:"id" validate:"required"`
	Slug          string    `json:"slug" validate:"text,ne=.,ne=.."`
	Name          string    `json:"name" validate:"text"`
	Plan          string    `json:"plan" validate:"oneof=free team pro enterprise"`
	ReportingMode string    `json:"reportingMode" validate:"oneof=pseudonymous nominative"`
}

// user is a person. TOTPSecret turns two-step verification on; nil turns it off.
type user struct {
	ID           uuid.UUID `json:"id" validate:"required"`
	Email        string    `json:"email" validate:"email_address"`
	Name         string    `json:"name" validate:"text"`
	PasswordHash *string   `json:"passwordHash" validate:"omitempty,password_hash"`
	TOTPSecret   *string   `json:"totpSecret" validate:"omitempty,totp_secret"`
	Locale       *string   `json:"locale" validate:"omitempty,text"`
}

type membership struct {
	OrganisationID uuid.UUID `json:"organisationId" validate:"required"`
	UserID         uuid.UUID `json:"userId" validate:"required"`
	Role           string    `json:"role" validate:"oneof=owner admin member"`
}

type game struct {
	ID    uuid.UUID `json:"id" validate:"required"`
	Slug  string    `json:"slug" validate:"text"`
	Title string    `json:"title" validate:"text"`
}

type fork struct {
	ID                    uuid.UUID       `json:"id" validate:"required"`
	OrganisationID        uuid.UUID       `json:"organisationId" validate:"required"`
	GameID                uuid.UUID       `json:"gameId" validate:"required"`
	Slug                  string          `json:"slug" validate:"text"`
	Title                 string          `json:"title" validate:"text"`
	Major                 *int32          `json:"major" validate:"required,min=0"`
	Status                string          `json:"status" validate:"oneof=active archived"`
	Visibility            string          `json:"visibility" validate:"oneof=public organization restricted"`
	SourceLocale          string          `json:"sourceLocale" validate:"oneof=en fr es pt de"`
	DeployedReleaseNumber *int32          `json:"deployedReleaseNumber" validate:"omitempty,min=0"`
	Suspended             *bool           `json:"suspended" validate:"required"`
	Configuration         *jsontext.Value `json:"configuration" validate:"omitempty,configuration"`
	CreatedAt             time.Time       `json:"createdAt" validate:"required,reportable"`
	UpdatedAt             time.Time       `json:"updatedAt" validate:"required,reportable"`
}

type player struct {
	ID             uuid.UUID `json:"id" validate:"required"`
	OrganisationID uuid.UUID `json:"organisationId" validate:"required"`
	DisplayName    string    `json:"displayName" validate:"text"`
}

// group replaces a group of players. A member that PlayerIDs omits leaves the group.
type group struct {
	ID             uuid.UUID   `json:"id" validate:"required"`
	OrganisationID uuid.UUID   `json:"organisationId" validate:"required"`
	Name           string      `json:"name" validate:"text"`
	PlayerIDs      []uuid.UUID `json:"playerIds" validate:"required,unique"`
}

// play has all of CompletedAt, ScorePercent and Passed if it is finished, else none of the three.
type play struct {
	ID            uuid.UUID  `json:"id" validate:"required"`
	ForkID        uuid.UUID  `json:"forkId" validate:"required"`
	PlayerID      uuid.UUID  `json:"playerId" validate:"required"`
	ReleaseNumber *int32     `json:"releaseNumber" validate:"omitempty,min=0"`
	StartedAt     time.Time  `json:"startedAt" validate:"required,reportable"`
	CompletedAt   *time.Time `json:"completedAt" validate:"omitempty,gtefield=StartedAt,reportable"`
	ScorePercent  *float64   `json:"scorePercent" validate:"required_with=CompletedAt,excluded_without=CompletedAt,omitempty,score"`
	Passed        *bool      `json:"passed" validate:"required_with=CompletedAt,excluded_without=CompletedAt"`
	Skills        []skill    `json:"skills" validate:"required,catalogue,unique=SkillID,dive"`
}

type skill struct {
	SkillID  string `json:"skillId" validate:"skill"`
	Attempts *int32 `json:"attempts" validate:"required,min=1,max=100"`
	Correct  *int32 `json:"correct" validate:"required,min=0,ltefield=Attempts"`
}
