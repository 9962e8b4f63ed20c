package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/importer"
	"dg/modules/reports/sealer"
	"dg/platform/config"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// oddPeople have unusual names and addresses. sent is the address as browsers send it.
var oddPeople = []struct{ name, email, sent string }{
	{"Zoë O'Brien-Łukasz", "Zoe@Example.ORG", "zoe@example.org"},
	{"مريم", "maryam@bücher.example", "maryam@xn--bcher-kva.example"},
	{"👩‍🚀", "astro@BÜCHER.example", "astro@xn--bcher-kva.example"},
	{"Ånd", "and@faß.example", "and@xn--fa-hia.example"},
	{"=cmd|' /C calc'!A0", "chromium@faß.example", "chromium@fass.example"},
	{"<b>Bold</b>", "  blanks@example.org ", "blanks@example.org"},
	{strings.Repeat("n", 200), "\tlinebreak@example.org\n", "linebreak@example.org"},
}

var refusedEmails = []string{strings.Repeat("l", 243) + "@example.org", "no-at-sign", "", "jürgen@example.org"}
var refusedNames = []string{"Line\nbreak", strings.Repeat("n", 201)}

var discardStdio = Stdio{Stdout: io.Discard, Stderr: io.Discard, log: slog.New(slog.DiscardHandler)}

// newOperator returns a new database, and the operator that runs commands on it.
func newOperator(t *testing.T) (*testkit.World, *operator) {
	t.Parallel()
	w := testkit.New(t)
	db := &database{ownerURL: w.Owner.Pool.Config().ConnString(), log: discardStdio.log}
	o := tb.Must(db.operator(t.Context(), "dg test"))(t)
	t.Cleanup(o.Close)
	return w, o
}

func (o *operator) importLines(t *testing.T, stdio Stdio, lines string) error {
	stdio.Stdin = strings.NewReader(lines)
	return tb.ErrorOf(o.importFiles(t.Context(), []importer.Input{inputFile("-", stdio)}, identity.Keyring{}, stdio))
}

// An import seals only if plays have changed, because a pass takes seconds with many forks.
func TestImportWithoutNewPlaysDoesNotSeal(t *testing.T) {
	w, o := newOperator(t)
	fork := w.AddFork(testkit.Fork{OrganisationID: w.AddOrganisation(testkit.Organisation{}).ID})
	play := fmt.Sprintf(`{"type":"play","id":%q,"forkId":%q,"playerId":%q,"startedAt":"2026-03-01T00:00:00Z","skills":[]}`,
		uuid.NewString(), fork.ID, w.AddPlayers(fork.OrganisationID, 1)[0].ID)
	log := &tb.Buffer{}
	stdio := Stdio{Stderr: io.Discard, log: log.Logger()}
	require.NoError(t, postgres.AwaitLock(t.Context(), stdio.log, "sealer", 0, w.Begin(`select`)))
	game := fmt.Sprintf(`{"type":"game","id":%q,"slug":"g","title":"G"}`, uuid.NewString())
	for passes, lines := range []string{game, play} { // a pass finds the lock of another sealer
		require.NoError(t, o.importLines(t, stdio, lines))
		require.Equal(t, passes, strings.Count(log.String(), "not sealed"), lines)
	}
}

// A created or imported person can sign in with the address as browsers send it, or is refused with the field's name.
func TestCreatedPeopleCanSignIn(t *testing.T) {
	w, o := newOperator(t)
	acme := w.AddOrganisation(testkit.Organisation{Slug: "acme"})
	visitors := identity.New(w.DB, time.Now, identity.Recorder{
		OrganisationIDsOf: o.orgs.OrganisationIDsIn, Audit: audit.New(w.DB), Log: discardStdio.log,
		OnFailedSignIn: func(string) {},
	}, identity.Keyring{})
	address := config.Address{BaseURL: "http://localhost"}
	createFuncs := map[string]func(name, email, role string) error{
		"organisation create": func(name, email, _ string) error {
			return organisationCreateCmd{Address: address, Name: "Theirs", Slug: "o-" + uuid.NewString()[:8],
				Plan: "pro", ReportingMode: "nominative", OwnerEmail: email, OwnerName: name,
			}.Run(t.Context(), discardStdio, o)
		},
		"member add": func(name, email, role string) error {
			return memberAddCmd{Address: address, memberArgs: memberArgs{"acme", email}, Role: role, Name: name}.
				Run(t.Context(), discardStdio, o)
		},
		"import": func(name, email, role string) error {
			return o.importLines(t, discardStdio, fmt.Sprintf(`{"type":"user","id":"%s","email":%q,"name":%q}`+"\n"+
				`{"type":"membership","organisationId":"%[4]s","userId":"%[1]s","role":"%[5]s"}`,
				uuid.NewString(), email, name, acme.ID, role))
		},
	}
	roles := []string{"owner", "admin", "member"}
	for command, create := range createFuncs {
		for _, email := range refusedEmails {
			require.ErrorContains(t, create("A name", email, "owner"), "mail", "%s: %q", command, email)
		}
		for _, name := range refusedNames {
			require.ErrorContains(t, create(name, "a@example.org", "owner"), "name", "%s: %q", command, name)
		}
		for i, person := range oddPeople {
			require.NoError(t, create(person.name, person.email, roles[i%3]), "%s: %q", command, person.email)
			w.Exec(`update users set password_hash = $1`, testkit.PasswordHash)
			for _, sent := range []string{person.sent, person.email} {
				session, err := visitors.SignIn(t.Context(), sent, testkit.Password, "")
				require.NoError(t, err, "%s: %q", command, sent)
				require.Equal(t, person.name, session.Person.Name, command)
				require.Equal(t, strings.TrimSpace(person.email), session.Person.Email, "shown as written")
			}
		}
		w.Exec(`delete from memberships`)
		w.Exec(`delete from users`)
	}
}

// dg erase takes pseudonyms or ids. dg account delete refuses the last owner of an organisation.
func TestPlayersAreErasedAndAccountsDeleted(t *testing.T) {
	w, o := newOperator(t)
	acme := w.AddOrganisation(testkit.Organisation{Slug: "acme"})
	other := w.AddOrganisation(testkit.Organisation{Slug: "other"})
	players := w.AddPlayers(acme.ID, 3)
	otherPlayers := w.AddPlayers(other.ID, 3) // their pseudonyms are the same
	erased := []string{"acme", strings.ToLower(players[0].Label), strings.ToUpper(players[1].ID)}
	require.NoError(t, eraseCmd{Players: erased}.Run(t.Context(), discardStdio, o))
	for _, refused := range [][]string{{"acme"}, {"acme", players[0].Label}, {"nobody", players[2].Label},
		{"acme", otherPlayers[0].ID}, {"nobody", otherPlayers[0].ID}} {
		require.Error(t, eraseCmd{Players: refused}.Run(t.Context(), discardStdio, o), refused)
	}
	require.Equal(t, 1, w.CountRows(`players where org_id = $1`, acme.ID))
	require.Equal(t, 3, w.CountRows(`players where org_id = $1`, other.ID))
	fork := w.AddFork(testkit.Fork{OrganisationID: acme.ID})
	w.AddPlay(testkit.Play{Fork: fork, Player: players[2], StartedAt: fork.CreatedAt})
	eagerSealer := sealer.New(o.DB, time.Now, discardStdio.log)
	eagerSealer.MinPlays = 0
	require.Equal(t, 1, tb.Must(eagerSealer.Seal(t.Context()))(t).Days)
	require.NoError(t, o.erase(t.Context(), discardStdio, acme.ID, players[2].Label))
	require.Zero(t, w.CountRows(`fork_days`)+w.CountRows(`fork_months`), "the erasure waits for no sealer's pass")

	ann := w.AddPerson(testkit.Person{Email: "ann@example.org", Name: "Ann"})
	w.Join(acme.ID, ann.ID, "owner")
	w.Join(other.ID, ann.ID, "member")
	deleteAnn := func() error { return accountDeleteCmd{Email: "Ann@example.org"}.Run(t.Context(), discardStdio, o) }
	w.AddPerson(testkit.Person{Email: "bob@example.org"})
	deletion := w.Begin(`delete from users where email_key = 'bob@example.org'`)
	require.ErrorContains(t, w.WhileWaiting(deletion, func() error {
		return accountDeleteCmd{Email: "bob@example.org"}.Run(t.Context(), discardStdio, o)
	}, nil), "No account has the e-mail", "another command has deleted it meanwhile")
	require.ErrorContains(t, deleteAnn(), "leaves acme without an owner")
	require.Equal(t, 2, w.CountRows(`memberships where user_id = $1`, ann.ID))
	w.AddMember(acme.ID, "owner")
	rename := w.Begin(`select from organisations where id = $1 for no key update`, other.ID)
	require.NoError(t, w.WhileWaiting(rename, deleteAnn, func() {
		w.ExecIn(rename, `update organisations set slug = 'renamed' where id = $1`, other.ID)
	}), "an import that renames an organisation")
	require.Zero(t, w.CountRows(`users where id = $1`, ann.ID))
	require.Equal(t, []string{"account.deleted acme Ann", "account.deleted renamed Ann", "role.changed acme Ann",
		"role.changed renamed Ann"}, testkit.Query[[]string](w, `select array_agg(concat_ws(' ', action, slug,
			details->>'name') order by action, slug) from audit_entries e join organisations o on o.id = e.org_id
			where target_id = $1 and actor_kind = 'operator'`, ann.ID))
	require.ErrorContains(t, deleteAnn(), "No account has the e-mail")
}

// The error of an interrupted prune says how many entries are only in the file.
func TestInterruptedPruneCountsRemovedEntries(t *testing.T) {
	w, o := newOperator(t)
	for _, id := range []string{"00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"} {
		w.AddOrganisation(testkit.Organisation{ID: id})
		require.NoError(t, o.auditLog.Append(t.Context(), audit.Entry{OrganisationID: id,
			Actor: audit.OperatorActor, Action: audit.LogExported}))
	}
	w.Exec(`update audit_entries set at = '2024-01-01'`)
	file := filepath.Join(t.TempDir(), "old.ndjson")
	prune := auditPruneCmd{Before: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Export: file}
	runInterrupted := func(blocker pgx.Tx) error {
		ctx, interrupt := context.WithCancel(t.Context())
		return w.WhileWaiting(blocker, func() error { return prune.Run(ctx, discardStdio, o) }, interrupt)
	}
	err := runInterrupted(w.Begin(`lock table audit_refusals in access exclusive mode`))
	require.ErrorContains(t, err, "nothing was removed")
	require.NoFileExists(t, file, "it is incomplete")
	err = runInterrupted(w.Begin(`select from audit_entries order by org_id desc limit 1 for update`))
	require.ErrorContains(t, err, "1 of the entries in ")
	require.ErrorContains(t, err, "maybe those of organisation 00000000-0000-4000-8000-00000000000b")
	require.NotErrorIs(t, err, context.Canceled, "whose text replaces the message")
}

// An import's error, except ErrUnconfirmed, says that nothing was imported, and advises a retry where that may help.
func TestFailedImportIsExplained(t *testing.T) {
	for want, err := range map[string]error{
		"another command, such as dg erase, (?s).*23502": &pgconn.PgError{Code: "23502", TableName: "plays"},
		"another command, such as dg (?s).*23503":        &pgconn.PgError{Code: "23503"},
		"another command.*drew the same pseudonym":       &pgconn.PgError{Code: "23505"},
		"another change got in the way. Import again:":   errors.Join(&pgconn.PgError{Code: "40P01"}),
		"another change got in the way. Import":          &pgconn.PgError{Code: "55P03"},
		"players.ndjson:1: wrong":                        errors.New("players.ndjson:1: wrong"),
		"the connection to the database was lost":        &pgconn.PgError{Code: "57P01", SeverityUnlocalized: "FATAL"},
		": +\\(SQLSTATE 53400":                           &pgconn.PgError{Code: "53400", SeverityUnlocalized: "ERROR"},
	} {
		require.Regexp(t, `^nothing was imported:\s+`+want, wrapImportError(t.Context(), err).Error())
	}
	unconfirmed := fmt.Errorf("%w: %w", importer.ErrUnconfirmed, io.ErrUnexpectedEOF)
	require.Equal(t, unconfirmed, wrapImportError(t.Context(), unconfirmed), "which may have imported everything")
}
