package importer

import (
	"bufio"
	"crypto/rand"

	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
)

// formats returns the types of objects. Each refers to earlier ones only.
func (im Importer) formats() []*format {
	ofOrganisation := reference{field: "organisationId", column: "org_id", to: "organisation"}
	random := bufio.NewReader(rand.Reader)
	return []*format{{
		name: "organisation", stored: "organisations",
		staged: "id, slug, name, plan, reporting_mode, plan as old_plan, reporting_mode as old_mode",
		set:    "slug, name, plan, reporting_mode",
		unique: unique{"slug", "slug", "true", "a slug that no other organisation has"},
		before: lockOrganisations,
		entries: []entries{
			{audit.PlanChanged, `select id, jsonb_build_object('from', old_plan, 'to', plan)
				from import_organisations where old_plan <> plan`},
			{audit.ReportingModeChanged, `
				select id, jsonb_build_object('from', old_mode, 'to', reporting_mode)
				from import_organisations where old_mode <> reporting_mode`},
		},
		read: reader(func(o *organisation) []any {
			return []any{o.ID, o.Slug, o.Name, o.Plan, o.ReportingMode, nil, nil}
		}),
	}, {
		name: "user", stored: "users",
		staged: "id, email, email_key, name, password_hash, totp_secret, locale",
		set:    "email, email_key, name, password_hash, totp_secret, locale",
		also:   userSince,
		unique: unique{"email", "email_key", "true", "an e-mail that no other user has, in any case"},
		checks: []check{{
			"key", "DG_SECRET_KEY to be the key that the stored secret is under", underAnotherKey,
		}},
		read: reader(func(u *user) []any {
			var secret *string
			if u.TOTPSecret != nil {
				secret = new(im.Keys.StoredSecret(u.ID.String(), *u.TOTPSecret))
			}
			return []any{
				u.ID, u.Email, identity.EmailKey(u.Email), u.Name, u.PasswordHash, secret, u.Locale,
			}
		}),
	}, {
		name: "membership", stored: "memberships",
		staged: "org_id, user_id, role",
		key:    "user_id, org_id", keyField: "userId",
		set:        "role",
		references: []reference{ofOrganisation, {field: "userId", column: "user_id", to: "user"}},
		read: reader(func(m *membership) []any {
			return []any{m.OrganisationID, m.UserID, m.Role}
		}),
	}, {
		name: "game", stored: "games",
		staged: "id, slug, title",
		set:    "slug, title",
		read:   reader(func(g *game) []any { return []any{g.ID, g.Slug, g.Title} }),
	}, {
		name: "fork", stored: "forks",
		staged:     "id, org_id, " + forkColumns,
		fixed:      "org_id",
		set:        forkColumns,
		references: []reference{ofOrganisation, {field: "gameId", column: "game_id", to: "game"}},
		unique: unique{"slug", "slug", "o.org_id = i.org_id",
			"a slug that no other fork of the organisation has"},
		read: reader(func(f *fork) []any {
			return []any{
				f.ID, f.OrganisationID, f.GameID, f.Slug, f.Title, f.Major, f.Status, f.Visibility,
				f.SourceLocale, f.DeployedReleaseNumber, f.Suspended, []byte(f.Configuration),
				f.CreatedAt, f.UpdatedAt,
			}
		}),
	}, {
		name: "player", stored: "players",
		staged:     "id, org_id, display_name, label",
		fixed:      "org_id",
		set:        "display_name",
		references: []reference{ofOrganisation},
		before:     playerOrdinals,
		insert:     insertPlayers,
		read: reader(func(p *player) []any {
			label, _ := org.NewLabel(random) // crypto/rand does not fail
			return []any{p.ID, p.OrganisationID, p.DisplayName, label}
		}),
	}, {
		name: "group", stored: "player_groups",
		staged:     "id, org_id, name, null::uuid[] as player_ids",
		fixed:      "org_id",
		references: []reference{ofOrganisation},
		checks: []check{
			{"players", storedID("player"), unknownGroupPlayers},
			{"players_organisation", "a player of the group's organisation", foreignGroupPlayers},
		},
		write: writeGroups,
		read: reader(func(g *group) []any {
			return []any{g.ID, g.OrganisationID, g.Name, g.PlayerIDs}
		}),
	}, {
		name: "play", stored: "plays",
		staged: "id, fork_id, null::uuid as player_id, release_number, started_at, completed_at, " +
			"score, passed, answers",
		fixed: "fork_id",
		references: []reference{
			{field: "forkId", column: "fork_id", to: "fork"},
			{field: "playerId", column: "player_id", to: "player"},
		},
		checks: []check{{
			"player_organisation", "a player of the fork's organisation", foreignPlayers,
		}},
		update: updatePlays,
		insert: insertPlays,
		read: reader(func(p *play) []any {
			return []any{
				p.ID, p.ForkID, p.PlayerID, p.ReleaseNumber, p.StartedAt, p.CompletedAt,
				(*int16)(p.ScorePercent), p.Passed, packed(p.Skills),
			}
		}),
	}}
}

// packed returns the stored form of a play's answers.
func packed(skills []skill) []byte {
	results := make([]games.SkillResult, len(skills))
	for n, s := range skills {
		id, _ := games.SkillByID(s.SkillID)
		results[n] = games.SkillResult{
			Skill: id, Attempts: int(*s.Attempts), Correct: int(*s.Correct),
		}
	}
	return games.PackAnswers(results)
}
