package importer

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgtype"
)

// id is an identifier. The nil UUID is the zero value, which counts as missing.
type id = pgtype.UUID

// configuration is a fork's configuration: a JSON object.
type configuration []byte

// score is a score in hundredths of a percent: 0 to 10000.
type score int16

type organisation struct {
	ID            id     `json:"id" validate:"required"`
	Slug          string `json:"slug" validate:"text"`
	Name          string `json:"name" validate:"text"`
	Plan          string `json:"plan" validate:"oneof=free team pro enterprise"`
	ReportingMode string `json:"reportingMode" validate:"oneof=pseudonymous nominative"`
}

// user is a person. A person with a TOTP secret has two-step verification on.
type user struct {
	ID           id      `json:"id" validate:"required"`
	Email        string  `json:"email" validate:"text"`
	Name         string  `json:"name" validate:"text"`
	PasswordHash *string `json:"passwordHash" validate:"omitempty,password_hash"`
	TOTPSecret   *string `json:"totpSecret" validate:"omitempty,totp_secret"`
	Locale       *string `json:"locale" validate:"omitempty,text"`
}

type membership struct {
	OrganisationID id     `json:"organisationId" validate:"required"`
	UserID         id     `json:"userId" validate:"required"`
	Role           string `json:"role" validate:"oneof=owner admin member"`
}

type game struct {
	ID    id     `json:"id" validate:"required"`
	Slug  string `json:"slug" validate:"text"`
	Title string `json:"title" validate:"text"`
}

type fork struct {
	ID                    id            `json:"id" validate:"required"`
	OrganisationID        id            `json:"organisationId" validate:"required"`
	GameID                id            `json:"gameId" validate:"required"`
	Slug                  string        `json:"slug" validate:"text"`
	Title                 string        `json:"title" validate:"text"`
	Major                 *int32        `json:"major" validate:"required"`
	Status                string        `json:"status" validate:"oneof=active archived"`
	Visibility            string        `json:"visibility" validate:"oneof=public organization restricted"`
	SourceLocale          string        `json:"sourceLocale" validate:"oneof=en fr es pt de"`
	DeployedReleaseNumber *int32        `json:"deployedReleaseNumber"`
	Suspended             *bool         `json:"suspended" validate:"required"`
	Configuration         configuration `json:"configuration"`
	CreatedAt             time.Time     `json:"createdAt" validate:"required"`
	UpdatedAt             time.Time     `json:"updatedAt" validate:"required"`
}

type player struct {
	ID             id     `json:"id" validate:"required"`
	OrganisationID id     `json:"organisationId" validate:"required"`
	DisplayName    string `json:"displayName" validate:"text"`
}

// group is a group; PlayerIDs is its whole membership.
type group struct {
	ID             id     `json:"id" validate:"required"`
	OrganisationID id     `json:"organisationId" validate:"required"`
	Name           string `json:"name" validate:"text"`
	PlayerIDs      []id   `json:"playerIds" validate:"required,unique,dive,required"`
}

// play is finished when it has all of CompletedAt, ScorePercent and Passed, and has none of them
// otherwise.
type play struct {
	ID            id         `json:"id" validate:"required"`
	ForkID        id         `json:"forkId" validate:"required"`
	PlayerID      id         `json:"playerId" validate:"required"`
	ReleaseNumber *int32     `json:"releaseNumber"`
	StartedAt     time.Time  `json:"startedAt" validate:"reportable"`
	CompletedAt   *time.Time `json:"completedAt" validate:"omitempty,gtefield=StartedAt"`
	ScorePercent  *score     `json:"scorePercent" validate:"required_with=CompletedAt,excluded_without=CompletedAt"`
	Passed        *bool      `json:"passed" validate:"required_with=CompletedAt,excluded_without=CompletedAt"`
	Skills        []skill    `json:"skills" validate:"required,catalogue,unique=SkillID,dive"`
}

// skill is the answers to one skill in a play.
type skill struct {
	SkillID  string `json:"skillId" validate:"skill"`
	Attempts *int32 `json:"attempts" validate:"required,min=1,max=100"`
	Correct  *int32 `json:"correct" validate:"required,ltefield=Attempts"`

	Unknown jsontext.Value `json:",unknown" validate:"isdefault"`
}
