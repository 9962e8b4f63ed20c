package games

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"dg/modules/org"
	"dg/platform/staging"
)

// ImportedGame is a game of an import.
type ImportedGame struct {
	ID    uuid.UUID `json:"id" validate:"required"`
	Slug  string    `json:"slug" validate:"text"`
	Title string    `json:"title" validate:"text"`
}

// Configuration is a fork's configuration: a JSON object.
type Configuration []byte

// ImportedFork is a fork of an import.
type ImportedFork struct {
	ID                    uuid.UUID     `json:"id" validate:"required"`
	OrganisationID        uuid.UUID     `json:"organisationId" validate:"required"`
	GameID                uuid.UUID     `json:"gameId" validate:"required"`
	Slug                  string        `json:"slug" validate:"text"`
	Title                 string        `json:"title" validate:"text"`
	Major                 *int32        `json:"major" validate:"required"`
	Status                string        `json:"status" validate:"oneof=active archived"`
	Visibility            string        `json:"visibility" validate:"oneof=public organization restricted"`
	SourceLocale          string        `json:"sourceLocale" validate:"oneof=en fr es pt de"`
	DeployedReleaseNumber *int32        `json:"deployedReleaseNumber"`
	Suspended             *bool         `json:"suspended" validate:"required"`
	Configuration         Configuration `json:"configuration"`
	CreatedAt             time.Time     `json:"createdAt" validate:"required"`
	UpdatedAt             time.Time     `json:"updatedAt" validate:"required"`
}

// Score is a score in hundredths of a percent: 0 to 10000.
type Score int16

// ImportedPlay is a play of an import. A play is finished when it has all of CompletedAt,
// ScorePercent and Passed, and has none of them otherwise.
type ImportedPlay struct {
	ID            uuid.UUID       `json:"id" validate:"required"`
	ForkID        uuid.UUID       `json:"forkId" validate:"required"`
	PlayerID      uuid.UUID       `json:"playerId" validate:"required"`
	ReleaseNumber *int32          `json:"releaseNumber"`
	StartedAt     time.Time       `json:"startedAt" validate:"reportable"`
	CompletedAt   *time.Time      `json:"completedAt" validate:"omitempty,gtefield=StartedAt"`
	ScorePercent  *Score          `json:"scorePercent" validate:"required_with=CompletedAt,excluded_without=CompletedAt"`
	Passed        *bool           `json:"passed" validate:"required_with=CompletedAt,excluded_without=CompletedAt"`
	Skills        []ImportedSkill `json:"skills" validate:"required,unique=SkillID,dive"`
}

// ImportedSkill is the answers to one skill in a play.
type ImportedSkill struct {
	SkillID  string `json:"skillId" validate:"skill"`
	Attempts *int32 `json:"attempts" validate:"required,min=1,max=100"`
	Correct  *int32 `json:"correct" validate:"required,ltefield=Attempts"`

	Unknown jsontext.Value `json:",unknown" validate:"isdefault"`
}

// The kinds of objects that other objects refer to.
var (
	gameKind = staging.Kind{Noun: "game", Stored: "games"}
	forkKind = staging.Kind{Noun: "fork", Stored: "forks"}
)

// Import takes the games, forks and plays of an import.
type Import struct {
	stage               *staging.Stage
	games, forks, plays *staging.Table
}

// NewImport adds the module's tables to the stage.
func NewImport(stage *staging.Stage) *Import {
	return &Import{
		stage: stage,
		games: stage.Table(gameKind, "id uuid, slug text, title text"),
		forks: stage.Table(forkKind,
			"id uuid, org_id uuid, game_id uuid, slug text, title text, major integer, "+
				"status text, visibility text, source_locale text, deployed_release_number "+
				"integer, suspended boolean, "+
				"configuration jsonb, created_at timestamptz, updated_at timestamptz"),
		plays: stage.Table(staging.Kind{Noun: "play", Stored: "plays"},
			"id uuid, fork_id uuid, player_id uuid, "+
				"release_number integer, started_at timestamptz, completed_at timestamptz, score "+
				"smallint, passed boolean, "+
				"answers bytea"),
	}
}

// Game stages a game.
func (i *Import) Game(line int64, g *ImportedGame) error {
	i.games.Add(line, g.ID, g.Slug, g.Title)
	return nil
}

// Fork stages a fork.
func (i *Import) Fork(line int64, f *ImportedFork) error {
	i.forks.Add(line, f.ID, f.OrganisationID, f.GameID, f.Slug, f.Title, f.Major, f.Status,
		f.Visibility, f.SourceLocale,
		f.DeployedReleaseNumber, f.Suspended, []byte(f.Configuration), f.CreatedAt, f.UpdatedAt)
	return nil
}

// Play stages a play.
func (i *Import) Play(line int64, p *ImportedPlay) error {
	results := make([]SkillResult, len(p.Skills))
	for n, s := range p.Skills {
		skill, _ := SkillByID(s.SkillID)
		results[n] = SkillResult{Skill: skill, Attempts: int(*s.Attempts), Correct: int(*s.Correct)}
	}
	i.plays.Add(line, p.ID, p.ForkID, p.PlayerID, p.ReleaseNumber, p.StartedAt, p.CompletedAt,
		(*int16)(p.ScorePercent),
		p.Passed, PackAnswers(results))
	return nil
}

// Rules returns the rules of the module's objects.
func (i *Import) Rules() []staging.Rule {
	return []staging.Rule{
		i.games.UniqueInFile("id", "id"),

		i.forks.UniqueInFile("id", "id"),
		i.forks.References("organisationId", "org_id", org.OrganisationKind),
		i.forks.References("gameId", "game_id", gameKind),
		i.forks.Immutable("organisationId", "org_id", org.OrganisationKind.Noun),
		i.forks.Unique("slug", "slug", "org_id",
			"a slug that no other fork of the organisation has"),

		i.plays.UniqueInFile("id", "id"),
		i.plays.References("forkId", "fork_id", forkKind),
		i.plays.References("playerId", "player_id", org.PlayerKind),
		i.plays.Immutable("forkId", "fork_id", forkKind.Noun),
		{
			Table:    i.plays,
			Name:     "player_organisation",
			Expected: "a player of the fork's organisation",
			Query:    foreignPlayers,
		},
	}
}

// Apply writes the staged objects that are new or differ.
func (i *Import) Apply(ctx context.Context) error {
	for _, write := range []func(context.Context) error{i.writeGames, i.writeForks, i.writePlays} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return nil
}
