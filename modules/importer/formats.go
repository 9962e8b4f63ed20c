package importer

import (
	"math"
	"time"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
)

var (
	organisationReferenceCheck = referenceCheck("organisation", "org_id")
	immutableOrganisationCheck = immutableCheck("organisation", "org_id")
)

// formats are in the order in which the objects of a file are stored: a type refers to earlier
// types only. Single ids are [16]byte, because pgx would convert a uuid.UUID to text and back.
var formats = []format{{
	name: "organisation", table: "organisations",
	columns: "id, slug, name, plan, reporting_mode",
	checks:  []check{uniqueCheck("a slug that no other organisation has", "slug", "slug", "true")},
	fileSQL: "add.sql", finalSQL: "upsert.sql",
	read: newReadFunc(func(o *organisation, _ identity.Keyring) []any {
		return []any{[16]byte(o.ID), o.Slug, o.Name, o.Plan, o.ReportingMode}
	}),
}, {
	name: "user", table: "users",
	columns: "id, email, email_key, name, password_hash, totp_secret, locale",
	checks: []check{
		uniqueCheck("an e-mail that no other user has, in any case", "email", "email_key", "true"),
	},
	finalSQL: "users.sql",
	read: newReadFunc(func(u *user, keyring identity.Keyring) []any {
		email, _ := identity.ParseEmail(u.Email) // the rule email_address has checked it
		secret := u.TOTPSecret
		if secret != nil {
			plain, _ := identity.ParseTOTPSecret(*secret) // the rule totp_secret has checked it
			secret = new(keyring.Encrypt(u.ID.String(), plain))
		}
		return []any{
			[16]byte(u.ID), email, identity.EmailKey(email), u.Name, u.PasswordHash, secret,
			u.Locale,
		}
	}),
}, {
	name: "membership", table: "memberships",
	columns: "org_id, user_id, role",
	id:      "userId", key: "user_id, org_id",
	checks:   []check{organisationReferenceCheck, referenceCheck("user", "user_id")},
	finalSQL: "upsert.sql",
	read: newReadFunc(func(m *membership, _ identity.Keyring) []any {
		return []any{[16]byte(m.OrganisationID), [16]byte(m.UserID), m.Role}
	}),
}, {
	name: "game", table: "games",
	columns: "id, slug, title",
	fileSQL: "upsert.sql",
	read: newReadFunc(func(g *game, _ identity.Keyring) []any {
		return []any{[16]byte(g.ID), g.Slug, g.Title}
	}),
}, {
	name: "fork", table: "forks",
	columns: "id, org_id, game_id, slug, title, major, status, visibility, source_locale, " +
		"deployed_release_number, suspended, configuration, created_at, updated_at",
	checks: []check{
		organisationReferenceCheck,
		immutableOrganisationCheck,
		referenceCheck("game", "game_id"),
		uniqueCheck("a slug that no other fork of the organisation has", "slug", "slug",
			"o.org_id = i.org_id"),
	},
	fileSQL: "add.sql", finalSQL: "upsert.sql",
	read: newReadFunc(func(f *fork, _ identity.Keyring) []any {
		return []any{
			[16]byte(f.ID), [16]byte(f.OrganisationID), [16]byte(f.GameID), f.Slug, f.Title,
			f.Major, f.Status, f.Visibility, f.SourceLocale, f.DeployedReleaseNumber, f.Suspended,
			(*[]byte)(f.Configuration), truncate(f.CreatedAt), truncate(f.UpdatedAt),
		}
	}),
}, {
	name: "player", table: "players",
	columns:       "id, org_id, display_name",
	stagedColumns: "id, org_id, display_name, label",
	checks:        []check{organisationReferenceCheck, immutableOrganisationCheck},
	fileSQL:       "players.sql",
	read: newReadFunc(func(p *player, _ identity.Keyring) []any {
		return []any{[16]byte(p.ID), [16]byte(p.OrganisationID), p.DisplayName, org.NewLabel()}
	}),
}, {
	name: "group", table: "player_groups",
	columns:       "id, org_id, name",
	stagedColumns: "id, org_id, name, null::uuid[] as player_ids",
	checks: []check{
		organisationReferenceCheck,
		immutableOrganisationCheck,
		{"the id of a player of the group's organisation, stored or in a file so far", foreignGroupPlayersSQL},
		{"each player once in the group", `
			select line, 'playerIds[' || max(place) - 1 || ']', player_id::text
			from import_{table} cross join unnest(player_ids) with ordinality m (player_id, place)
			group by line, player_id having count(*) > 1`},
	},
	fileSQL: "groups.sql",
	read: newReadFunc(func(g *group, _ identity.Keyring) []any {
		return []any{[16]byte(g.ID), [16]byte(g.OrganisationID), g.Name, g.PlayerIDs}
	}),
}, {
	name: "play", table: "plays",
	stagedColumns: "id, fork_id, null::uuid as player_id, release_number, started_at, completed_at, " +
		"score, passed, answers",
	checks: []check{
		referenceCheck("fork", "fork_id"),
		immutableCheck("fork", "fork_id"),
		referenceCheck("player", "player_id"),
		{"a player of the fork's organisation", foreignPlayersSQL},
	},
	fileSQL: "plays.sql",
	read: newReadFunc(func(p *play, _ identity.Keyring) []any {
		var completed *time.Time
		var score *int16
		if p.CompletedAt != nil {
			completed = new(truncate(*p.CompletedAt))
			score = new(int16(math.Round(*p.ScorePercent * 100)))
		}
		return []any{
			[16]byte(p.ID), [16]byte(p.ForkID), [16]byte(p.PlayerID), p.ReleaseNumber,
			truncate(p.StartedAt), completed, score, p.Passed, packAnswers(p.Skills),
		}
	}),
}}

// truncate truncates to milliseconds, the precision of the columns. PostgreSQL would round.
func truncate(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

func packAnswers(skills []skill) []byte {
	results := make([]games.SkillResult, len(skills))
	for n, s := range skills {
		id, _ := games.SkillByID(s.SkillID) // the rule skill has checked the id
		results[n] = games.SkillResult{
			Skill: id, Attempts: int(*s.Attempts), Correct: int(*s.Correct),
		}
	}
	return games.PackAnswers(results)
}

const foreignGroupPlayersSQL = `
	select i.line, 'playerIds[' || m.place - 1 || ']', m.player_id::text
	from import_player_groups i
	cross join unnest(i.player_ids) with ordinality m (player_id, place)
	where not exists (select from players p where p.id = m.player_id and p.org_id = i.org_id)`

const foreignPlayersSQL = `
	select i.line, 'playerId', i.player_id::text
	from import_plays i join forks f on f.id = i.fork_id join players p on p.id = i.player_id
	where f.org_id <> p.org_id`
