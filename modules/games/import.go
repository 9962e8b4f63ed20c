package games

import (
	"context"
	"time"

	"dg/platform/staging"

	"github.com/google/uuid"
)

// ImportedGame is a game as an import states it.
type ImportedGame struct {
	ID          uuid.UUID
	Slug, Title string
}

// ImportedFork is a fork as an import states it.
type ImportedFork struct {
	ID, Organisation, Game uuid.UUID
	Slug, Title            string
	Major                  int32
	Status, Visibility     string
	SourceLocale           string
	DeployedReleaseNumber  *int32
	Suspended              bool
	Configuration          []byte // a JSON object, or nil
	CreatedAt, UpdatedAt   time.Time
}

// ImportedPlay is a play as an import states it. Finished says whether CompletedAt, Score and Passed hold something.
type ImportedPlay struct {
	ID, Fork, Player uuid.UUID
	ReleaseNumber    *int32
	StartedAt        time.Time
	Finished         bool
	CompletedAt      time.Time
	Score            int16 // hundredths of a percent
	Passed           bool
	Answers          []byte // see PackAnswers
}

// Import takes the games, forks and plays of an import.
type Import struct {
	stage               *staging.Stage
	games, forks, plays *staging.Table
}

// NewImport adds the module's tables to the stage.
func NewImport(stage *staging.Stage) *Import {
	return &Import{
		stage: stage,
		games: stage.Table("import_games", "id uuid, slug text, title text"),
		forks: stage.Table("import_forks", "id uuid, org_id uuid, game_id uuid, slug text, title text, major integer, "+
			"status text, visibility text, source_locale text, deployed_release_number integer, suspended boolean, "+
			"configuration jsonb, created_at timestamptz, updated_at timestamptz"),
		plays: stage.Table("import_plays", "id uuid, fork_id uuid, player_id uuid, release_number integer, "+
			"started_at timestamptz, completed_at timestamptz, score smallint, passed boolean, answers bytea"),
	}
}

// Game stages a game.
func (i *Import) Game(line int64, g ImportedGame) {
	i.games.Row(line).UUID(g.ID).Text(g.Slug).Text(g.Title).Done()
}

// Fork stages a fork.
func (i *Import) Fork(line int64, f ImportedFork) {
	i.forks.Row(line).UUID(f.ID).UUID(f.Organisation).UUID(f.Game).Text(f.Slug).Text(f.Title).Int4(f.Major).
		Text(f.Status).Text(f.Visibility).Text(f.SourceLocale).OptionalInt4(f.DeployedReleaseNumber).Bool(f.Suspended).
		OptionalJSON(f.Configuration).Time(f.CreatedAt).Time(f.UpdatedAt).Done()
}

// Play stages a play.
func (i *Import) Play(line int64, p *ImportedPlay) {
	row := i.plays.Row(line).UUID(p.ID).UUID(p.Fork).UUID(p.Player).OptionalInt4(p.ReleaseNumber).Time(p.StartedAt)
	if p.Finished {
		row.Time(p.CompletedAt).Int2(p.Score).Bool(p.Passed)
	} else {
		row.Null().Null().Null()
	}
	row.Bytes(p.Answers).Done()
}

// Apply writes the staged objects that are new or differ.
func (i *Import) Apply(ctx context.Context) ([]staging.Count, error) {
	var counts []staging.Count
	for _, apply := range []func(context.Context) (staging.Count, error){i.applyGames, i.applyForks, i.applyPlays} {
		count, err := apply(ctx)
		if err != nil {
			return nil, err
		}
		counts = append(counts, count)
	}
	return counts, nil
}
