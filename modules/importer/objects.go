package importer

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/platform/input"
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

// group is a group of players. PlayerIDs replaces the members of a stored group.
type group struct {
	ID             uuid.UUID   `json:"id" validate:"required"`
	OrganisationID uuid.UUID   `json:"organisationId" validate:"required"`
	Name           string      `json:"name" validate:"text"`
	PlayerIDs      []uuid.UUID `json:"playerIds" validate:"required"`
}

// play has CompletedAt, ScorePercent and Passed if it is finished, otherwise none of the three.
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

// typeMessages describes the values that a field accepts, by its Go type.
var typeMessages = map[string]string{
	"string":           "a text of 1 to 200 characters without control characters",
	"uuid.UUID":        "a UUID such as 0b8f7c1e-3d52-4b7a-9a61-5f2c8d4e7a90",
	"time.Time":        "an RFC 3339 timestamp without leap second, such as 2026-03-01T09:30:00.000Z",
	"int32":            "a whole number from 0 to 2147483647",
	"float64":          "a number from 0 to 100 with at most two decimals",
	"[]uuid.UUID":      "an array",
	"[]importer.skill": "an array",
	"bool":             "true or false",
}

var objectChecks = input.New(ruleMessages, map[string]func(input.Field) bool{
	"text": input.StringRule(validText), // unlike forms, an import accepts blank texts
	"score": func(f input.Field) bool {
		percent := f.Field().Float()
		return percent >= 0 && percent <= 100 && math.Round(percent*100)/100 == percent
	},
	"configuration": func(f input.Field) bool { return storable(f.Field().Bytes()) },
	"catalogue":     func(f input.Field) bool { return f.Field().Len() <= games.SkillCount },
	"skill":         parsedBy(games.SkillByID),
	"email_address": parsedBy(identity.ParseEmail),
	"password_hash": input.StringRule(identity.ValidPasswordHash),
	"totp_secret":   parsedBy(identity.ParseTOTPSecret),
})

func parsedBy[T any](parse func(string) (T, bool)) func(input.Field) bool {
	return input.StringRule(func(s string) bool {
		_, ok := parse(s)
		return ok
	})
}

var ruleMessages = map[string]string{
	"required":         "a value, got nothing (an id of zeros and the year 1 count as nothing)",
	"required_with":    "a value in a play with completedAt, got nothing",
	"excluded_without": "nothing in a play without completedAt, got {value}",
	"oneof":            `one of {values}, got "{value}"`,
	"min":              "a whole number of at least {param}, got {value}",
	"max":              "a whole number of at most {param}, got {value}",
	"text":             typeMessages["string"] + `, got "{value}"`,
	"score":            typeMessages["float64"] + ", got {value}",
	"reportable":       "a time in the years 2000 to 2199 UTC, got {value}",
	"catalogue":        "each skill of the catalogue at most once",
	"unique":           "each value once",
	"skill":            `a skill of the catalogue, such as data.reading.charts, got "{value}"`,
	"gtefield":         "a time not before startedAt, got {value}",
	"ltefield":         "a whole number from 0 to attempts, got {value}",
	"ne":               `a slug that can be part of an address, got "{value}"`,
	"email_address":    identity.EmailFormat + `, got "{value}"`,
	"password_hash":    identity.PasswordHashFormat,
	"totp_secret":      identity.TOTPSecretFormat,
	"configuration":    "an object without \\u0000 and numbers that are out of range",
}

func validText(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}

var textPattern, longNumberPattern = regexp.MustCompile(`"(?:\\.|[^"\\])*"`), regexp.MustCompile(`[eE][-+]?\d{5}|\.\d{1000}`)
var nulPattern = regexp.MustCompile(`[^\\](?:\\\\)*\\u0000`) // whose backslash is not escaped

// storable reports whether jsonb can store the object, which must have no NUL and no number out of
// range. json.Unmarshal rounds numbers that are too long for jsonb; longNumberPattern finds them.
func storable(value []byte) bool {
	var object map[string]any
	return json.Unmarshal(value, &object) == nil && !nulPattern.Match(value) &&
		!longNumberPattern.Match(textPattern.ReplaceAllLiteral(value, nil))
}

const oneObject = "one JSON object in UTF-8"

// strictJSON rejects unknown names. Package json always rejects duplicate names and invalid UTF-8,
// and is case-sensitive.
var strictJSON = json.RejectUnknownMembers(true)

func newReadFunc[T any](row func(*T, identity.Keyring) []any) readFunc {
	return func(line []byte, keyring identity.Keyring) ([]any, []string) {
		var decoded struct {
			Type   string `json:"type"`
			Object T      `json:",inline"`
		}
		if err := json.Unmarshal(line, &decoded, strictJSON); err != nil {
			return nil, []string{decodeError(err)}
		}
		var faults []string
		for _, fault := range objectChecks.Violations(&decoded.Object) {
			faults = append(faults, fault.Path+": expected "+fault.Message)
		}
		if faults != nil {
			return nil, faults
		}
		return row(&decoded.Object, keyring), nil
	}
}

// decodeError does not show a value of the wrong type, because it may be a secret.
func decodeError(err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return faultText(fieldAt(e.JSONPointer), oneObject+" with each name once", e.Err.Error())
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok || e.GoType == nil:
		return faultText("", oneObject, err.Error())
	case errors.Is(e, json.ErrUnknownName):
		return faultText(fieldAt(e.JSONPointer), "no field of this name", "")
	}
	expected := typeMessages[strings.TrimPrefix(e.GoType.String(), "*")]
	return faultText(fieldAt(e.JSONPointer), cmp.Or(expected, oneObject), "")
}

// fieldAt returns a JSON pointer without its leading slash, such as skills/2/attempts.
func fieldAt(pointer jsontext.Pointer) string { return strings.TrimPrefix(string(pointer), "/") }

// faultText returns "field: expected …, got …". It omits an empty field, which means the whole
// line, and an empty got.
func faultText(field, expected, got string) string {
	text := "expected " + expected
	if field != "" {
		text = input.Excerpt(field) + ": " + text
	}
	if got != "" {
		text += ", got " + input.Excerpt(got)
	}
	return text
}
