package importer

import (
	"bytes"
	"cmp"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// takeAuditEntries returns and deletes the stored audit entries. It omits the usual actor and request.
func (b fixture) takeAuditEntries() string {
	entries := b.queryOne(`select string_agg(concat_ws(' ', o.slug, actor_kind, action, target_id, details, method,
		e.path, e.address, user_agent, request_id), ', ' order by action, details, o.slug) from audit_entries e join organisations o on o.id = e.org_id`)
	b.Exec(`truncate audit_entries`)
	for _, name := range []string{"acme", "other", "ann", "bob"} {
		entries = strings.ReplaceAll(entries, idOf(name).String(), "$"+name)
	}
	return strings.NewReplacer(" CLI dg import ::1 dg/1 r", "", " operator ", " ").Replace(entries)
}

// importWhile imports lines, which wait for tx. It runs change during the wait, and then commits tx.
func (b fixture) importWhile(tx pgx.Tx, lines string, change func()) {
	require.NoError(b.t, b.WhileWaiting(tx, func() error {
		return tb.ErrorOf(b.importFiles(filledFile("f", lines)))
	}, change))
}

// rules.md, Audit log: an import records each change of access as the operator. A failed import adds no entry.
// mechanisms.md: an import records only what differs when it locks the row.
func TestImportRecordsEachChangeOfAccess(t *testing.T) {
	b := setup(t)
	require.Equal(t, `other organisation.created $other {"plan": "free"}, `+
		`acme organisation.created $acme {"plan": "pro"}, `+
		`acme role.changed $ann {"to": "owner", "from": "none", "name": "Ann"}`, b.takeAuditEntries())
	for _, c := range []struct{ lines, want string }{
		{changedLine("acme", `"Acme"`, `"Acme Ltd"`), "null"},
		{changedLine("acme", `"plan":"pro","reportingMode":"pseudonymous"`, `"plan":"free","reportingMode":"nominative"`),
			`acme plan.changed $acme {"to": "free", "from": "pro"}, ` +
				`acme reporting_mode.changed $acme {"to": "nominative", "from": "pseudonymous"}`},
		{memberLine("owner", "admin"), `acme role.changed $ann {"to": "admin", "from": "owner", "name": "Ann"}`},
		{changedLine("ann", `"passwordHash":"$argon","totpSecret":"JBSWY3DPEHPK3PXP",`, ""),
			`acme password.removed $ann {"name": "Ann"}, acme two_step.removed $ann {"name": "Ann"}`},
		{changedLine("ann", "", "") + "\n" + memberLine(`$ann`, `$bob`),
			`acme password.changed $ann {"name": "Ann"}, ` +
				`acme role.changed $bob {"to": "owner", "from": "none", "name": "Bob"}, ` +
				`acme two_step.turned_on $ann {"name": "Ann"}`},
		{changedLine("ann", `"passwordHash":"$argon",`, "") + "\n" + memberLine(`$acme`, `$other`),
			`acme password.removed $ann {"name": "Ann"}, other password.removed $ann {"name": "Ann"}, ` +
				`other role.changed $ann {"to": "owner", "from": "none", "name": "Ann"}`},
	} {
		b.importErrors(filledFile("f", c.lines+"\n"+`{"type":"nothing"}`))
		b.requireImport(filledFile("f", c.lines))
		require.Equal(t, c.want, b.takeAuditEntries(), c.lines)
		b.requireImport(filledFile("f", c.lines))
		require.Equal(t, "null", b.takeAuditEntries(), c.lines)
	}
	const third = `{"type":"organisation","id":"$third","slug":"third","name":"Third","plan":"free","reportingMode":"nominative"}`
	b.takeAuditEntries()
	b.requireImport(filledFile("1", third), filledFile("2", strings.NewReplacer("free", "pro",
		"nominative", "pseudonymous").Replace(third)))
	require.Equal(t, fill(`third organisation.created $third {"plan": "pro"}`), b.takeAuditEntries(),
		"a later file of the import changes it")
	b.requireImport(filledFile("f", changedLine("ann", "", "")))
	counts := b.requireImport(filledFile("f", changedLine("ann", `"passwordHash":"$argon",`, "")))
	require.Contains(t, counts, ObjectCount{ObjectType: "user", Replaced: 1, LostPasswords: 1})
	b.takeAuditEntries()
	change := b.Begin(`update organisations set plan = 'pro', reporting_mode = 'pseudonymous' where id = $1`, idOf("acme"))
	b.importWhile(change, changedLine("acme", "", ""), nil)
	require.Zero(t, b.CountRows(`audit_entries`))
}

// An import of a new password or two-step secret ends the person's sessions, and clears the date of the last change.
func TestImportOfNewCredentialsEndsSessions(t *testing.T) {
	b := setup(t)
	annLine := fill(changedLine("ann", "", ""))
	for _, c := range []struct {
		old, new string
		want     string // number of Ann's and Bob's sessions; whether Ann's password and secret count as imported
	}{
		{`"name":"Ann"`, `"name":"Anna"`, "1 1 f f"},
		{`Ann@Example.com`, `ann@example.com`, "1 1 f f"},
		{`t=2,p=1`, `t=3,p=1`, "0 1 t f"},
		{`JBSWY3DPEHPK3PXP`, `GEZDGNBVGY3TQOJQ`, "0 1 f t"},
		{`,"totpSecret":"JBSWY3DPEHPK3PXP"`, ``, "0 1 f t"},
	} {
		b.requireImport(filledFile("world", worldLines))
		b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
			second_step_due) select sha256(id::text::bytea), id, now(), now(), now(), false from users
			on conflict do nothing`)
		b.Exec(`update users set totp_last_step = 1, totp_since = now(), password_since = now()`)
		b.requireImport(rawFile("f", strings.Replace(annLine, c.old, c.new, 1)))
		require.Equal(t, c.want, b.queryOne(fill(`select concat_ws(' ',
			(select count(*) from sessions where user_id = '$ann'),
			(select count(*) from sessions where user_id = '$bob'),
			password_since is null, totp_since is null and totp_last_step is null)
			from users where id = '$ann'`)), c.new)
	}
}

// At each step of a key replacement, imports keep the stored secrets. With only the old key they fail. No key is
// introduced or replaced while an import runs.
func TestImportDoesNotReplaceTheSecretKey(t *testing.T) {
	b := setup(t)
	key1, key2 := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	keyring := func(current, previous []byte) identity.Keyring {
		return tb.Must(identity.NewKeyring(current, previous))(t)
	}
	importLines := func(keys identity.Keyring, lines string) error {
		im := Importer{Pool: b.Owner.Pool, Keyring: keys}
		return tb.ErrorOf(im.Import(t.Context(), []Input{filledFile("f", lines)}, nil))
	}
	importWith := func(keys identity.Keyring) error {
		keys, err := identity.KeyringForImport(t.Context(), b.Owner, keys)
		if err != nil {
			return err
		}
		return importLines(keys, worldLines)
	}
	require.NoError(t, importWith(keyring(key1, nil)))
	require.Equal(t, 1, b.CountRows(`secret_key_check`), "the first key is introduced")
	tb.Must(identity.MigrateSecrets(t.Context(), b.Owner, keyring(key2, key1), false))(t)
	b.Exec(`insert into recovery_codes select id, sha256('code') from users`)
	before := b.tableChecksums()
	for _, keys := range []identity.Keyring{keyring(key1, key2), keyring(key2, key1), keyring(key2, nil)} {
		require.NoError(t, importWith(keys))
		require.Equal(t, before, b.tableChecksums())
	}
	require.ErrorIs(t, importWith(keyring(key1, nil)), identity.ErrWrongSecretKey)
	require.ErrorContains(t, importLines(keyring(key1, key2), worldLines), "replaced while the import ran: import")
	owner := pgtest.Open(t, b.OwnerURL, postgres.Options{LockTimeout: 50 * time.Millisecond})
	for _, clearSQL := range []string{``, `delete from secret_key_check; update users set totp_secret = null`} {
		b.Exec(clearSQL)
		lock := b.Begin(`select from users where id = $1 for update`, idOf("bob"))
		require.NoError(t, b.WhileWaiting(lock, func() error {
			return importLines(keyring(key2, nil), changedLine("bob", "Bob", "Rob "+clearSQL[:min(len(clearSQL), 1)]))
		}, func() {
			_, err := identity.MigrateSecrets(t.Context(), owner, keyring(key1, key2), false)
			require.ErrorContains(t, err, "55P03", "no key is introduced or replaced until the import ends")
		}))
	}
}

// An import fails if a player is erased between the check and the write of plays.
func TestPlaysOfAnErasedPlayerFailTheImport(t *testing.T) {
	b := setup(t)
	plays := &batch{format: formats[len(formats)-1]}
	for _, play := range []string{"$play", "$other"} { // a stored play, then a new one
		tx := b.Begin(plays.renderSQL(`create temporary table import_plays on commit drop as
			select 1::bigint as line, {staged} from plays where id = '` + idOf("play").String() + `'`))
		b.ExecIn(tx, `update import_plays set id = $1, player_id = $2, passed = false`, idOf(play[1:]), idOf("erased"))
		err := plays.write(t.Context(), tx, plays.fileSQL, "import_plays")
		require.ErrorContains(t, err, "23502")
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// writeFuncs returns the writes that must not wait for an import. db has the serving role, owner the tables' owner.
func (b fixture) writeFuncs(db, owner *postgres.DB) map[string]func() error {
	policy := tb.Must(authz.New())(b.t)
	log := audit.New(db)
	orgs := org.New(db, log, policy)
	operatorOrgs := org.New(owner, audit.New(owner), policy)
	acme := idOf("acme").String()
	usedKey := b.AddKey(acme)
	keys := apikeys.New(db, orgs, log, policy, time.Now)
	recorder := func(db *postgres.DB, orgs *org.Service) identity.Recorder {
		return identity.Recorder{
			OrganisationIDsOf: orgs.OrganisationIDsIn, Audit: audit.New(db),
			Log: slog.New(slog.DiscardHandler), OnFailedSignIn: func(string) {},
		}
	}
	people := identity.New(db, time.Now, recorder(db, orgs), identity.Keyring{})
	identityOperator := identity.Operator{DB: owner, Now: time.Now, Recorder: recorder(owner, operatorOrgs)}
	annSubject := authz.Subject{Kind: authz.Member, OrganisationID: acme, Grants: authz.MemberGrants("owner", false)}
	ann := apikeys.Actor{Person: apikeys.Person{ID: idOf("ann").String(), Name: "Ann"}, Subject: annSubject}
	keyActor := audit.Actor{Kind: audit.Key, ID: usedKey.ID, Name: "Warehouse"}
	refusal := audit.Entry{OrganisationID: acme, Actor: keyActor, Action: audit.KeyRefused}
	rounds := 0
	inOwnerTx := func(f func(*gorm.DB) error) error { return owner.Gorm.WithContext(b.t.Context()).Transaction(f) }
	return map[string]func() error{
		"create, rename and revoke": func() error {
			created, _, err := keys.Create(b.t.Context(), ann,
				apikeys.NewKey{Name: "Key", Scopes: []apikeys.Scope{apikeys.ForksRead}}, audit.Request{})
			return cmp.Or(err,
				keys.Rename(b.t.Context(), ann, created.ID, apikeys.Label{}, apikeys.Label{Name: "R"}, audit.Request{}),
				keys.Revoke(b.t.Context(), ann, created.ID, audit.Request{}))
		},
		"entry":           func() error { return log.Append(b.t.Context(), refusal) },
		"counted refusal": func() error { return log.CountRefusal(b.t.Context(), refusal) },
		"usage": func() error {
			b.Exec(`delete from api_key_windows`) // resets the rate limit
			token, ok := apikeys.ParseToken(usedKey.Token())
			require.True(b.t, ok)
			_, err := keys.Authenticate(b.t.Context(), token, func() audit.Request { return audit.Request{} })
			return cmp.Or(err, keys.UsageCounter.Store(b.t.Context()))
		},
		"mode": func() error {
			modes := []org.ReportingMode{org.Nominative, org.Pseudonymous}
			rounds++
			return orgs.SetReportingMode(b.t.Context(), org.Actor{
				Person: audit.Actor{Kind: audit.Person, ID: ann.ID}, Subject: annSubject,
			}, "", modes[rounds%2], audit.Request{})
		},
		"plan": func() error {
			plans := []org.Plan{org.PlanEnterprise, org.PlanPro}
			rounds++
			return inOwnerTx(func(tx *gorm.DB) error {
				return operatorOrgs.SetPlanIn(tx, "acme", plans[rounds%2], audit.Request{})
			})
		},
		"role and removal": func() error {
			for _, newRole := range []org.Role{org.RoleAdmin, org.NoRole, org.RoleMember} {
				if err := inOwnerTx(func(tx *gorm.DB) error {
					return operatorOrgs.SetRoleIn(tx, "acme", audit.Actor{ID: idOf("bob").String()}, newRole,
						func(org.Role) error { return nil }, audit.Request{})
				}); err != nil {
					return err
				}
			}
			return nil
		},
		"sign-in and sign out everywhere": func() error {
			session, err := people.SignIn(b.t.Context(), "ann@example.com", testkit.Password, "")
			return cmp.Or(err, people.SignOutEverywhere(b.t.Context(), session.Token))
		},
		"password and reset": func() error {
			session, signInErr := people.SignIn(b.t.Context(), "bob@example.com", testkit.Password, "")
			proof := identity.Proof{Password: testkit.Password}
			_, changeErr := people.ChangePassword(b.t.Context(), session.Token, proof, testkit.Password)
			reset, resetErr := identityOperator.BeginReset(b.t.Context(), "bob@example.com")
			return cmp.Or(signInErr, changeErr, resetErr,
				people.ResetPassword(b.t.Context(), reset.Token, testkit.Password, ""))
		},
	}
}

// import.md: no write waits for an import that stores plays, changes access and adds forks.
func TestNothingWaitsForAnImport(t *testing.T) {
	b := setup(t)
	b.Exec(`update users set password_hash = $1, totp_secret = null`, testkit.PasswordHash)
	b.Join(idOf("acme").String(), idOf("bob").String(), "member")
	// During the import's transaction, a write fails if it waits for a lock for 100 ms.
	impatient := postgres.Options{LockTimeout: 100 * time.Millisecond}
	writes := b.writeFuncs(pgtest.Open(t, b.URL, impatient), pgtest.Open(t, b.OwnerURL, impatient))
	plays := 2_000
	if os.Getenv("DG_SOAK") == "1" {
		plays = 300_000
	}
	var firstFile strings.Builder
	firstFile.WriteString(strings.ReplaceAll(fill(strings.Join([]string{
		changedLine("acme", `"Acme"`, `"Acme 2"`),
		changedLine("ann", `"name":"Ann","passwordHash":"$argon","totpSecret":"JBSWY3DPEHPK3PXP"`,
			`"name":"Anna","passwordHash":"$argon"`),
		changedLine("bob", `"Bob"`, `"Rob"`),
		memberLine("owner", "owner"),
		changedLine("fork", `"title":"Fork"`, `"title":"Other"`),
		changedLine("fork", `"id":"$fork","organisationId":"$acme","gameId":"$game","slug":"fork"`,
			`"id":"$fork9","organisationId":"$acme","gameId":"$game","slug":"fork-9"`),
	}, "\n")), argonHash, testkit.PasswordHash) + "\n")
	play := fill(changedLine("play", "", ""))
	for range plays {
		firstFile.WriteString(strings.Replace(play, idOf("play").String(), uuid.NewString(), 1) + "\n")
	}
	tryWrites := func() {
		for name, write := range writes {
			require.NoError(t, write(), name)
		}
	}
	secondFileOpened, release, done := make(chan bool), make(chan bool), make(chan error, 1)
	secondFile := Input{"second", func() (io.ReadCloser, error) {
		close(secondFileOpened)
		<-release
		return io.NopCloser(strings.NewReader("")), nil
	}}
	go func() {
		_, err := b.importFiles(rawFile("first", firstFile.String()), secondFile)
		done <- err
	}()
	tryWrites()
	for firstFileStored := false; !firstFileStored; {
		select {
		case err := <-done:
			require.FailNow(t, "the import ends early", err)
		case <-secondFileOpened:
			firstFileStored = true
		default:
			tryWrites()
		}
	}
	for range 3 {
		tryWrites()
	}
	writes = b.writeFuncs(b.DB, b.Owner) // the commit may block a write for longer than 100 ms
	delete(writes, "password and reset") // the import's commit replaces this password
	close(release)
	for {
		select {
		case err := <-done:
			require.NoError(t, err)
			require.Equal(t, "Acme 2 Anna Other fork-9", b.queryOne(fill(`select concat_ws(' ',
				(select name from organisations where id = '$acme'), (select name from users where id = '$ann'),
				(select title from forks where id = '$fork'), (select slug from forks where id = '$fork9'))`)))
			return
		default:
			tryWrites()
		}
	}
}

// mechanisms.md: an import locks organisations, also those of forks, then memberships, then people. Before players, it
// locks their ordinals, as an erasure does.
func TestImportLocksInOneOrder(t *testing.T) {
	b := setup(t)
	erasure := b.Begin(`select from player_ordinals where org_id = $1 for update`, idOf("acme"))
	b.importWhile(erasure, changedLine("p1", `"One"`, `"Uno"`), func() {
		b.ExecIn(erasure, `delete from players where id = $1`, idOf("p2"))
		b.ExecIn(erasure, `update players set display_name = 'x' where id = $1`, idOf("p1"))
	})
	require.Equal(t, "Uno", b.queryOne(fill(`select display_name from players where id = '$p1'`)))
	b.Join(idOf("acme").String(), idOf("bob").String(), "owner")
	for role, line := range map[string]string{
		"admin": changedLine("fork", `"id":"$fork","organisationId":"$acme","gameId":"$game","slug":"fork"`,
			`"id":"$fork9","organisationId":"$acme","gameId":"$game","slug":"fork-9"`),
		"member": changedLine("fork2", `"Fork 2"`, `"Fork two"`),
	} {
		modeChange := b.Begin(`select from organisations where id = $1 for no key update`, idOf("acme"))
		b.importWhile(modeChange, memberLine(`$ann","role":"owner`, `$bob","role":"`+role)+"\n"+line,
			func() { b.ExecIn(modeChange, `select lock_membership($1, $2)`, idOf("acme"), idOf("bob")) })
	}
	keyChange := b.Begin(`select from memberships where user_id = $1 for share`, idOf("bob"))
	b.importWhile(keyChange, memberLine(`$ann`, `$bob`)+"\n"+changedLine("bob", "Bob", "Rob"),
		func() { b.ExecIn(keyChange, `select from users where id = $1 for share`, idOf("bob")) })
}

// An import does not revert a change that commits while the import writes audit entries.
func TestImportDoesNotRevertALaterChange(t *testing.T) {
	b := setup(t)
	b.Exec(`update organisations set reporting_mode = 'nominative' where id = $1`, idOf("acme"))
	lock := b.Begin(`select from organisations where id = '` + idOf("other").String() + `' for update`)
	b.importWhile(lock, changedLine("acme", `"pseudonymous"`, `"nominative"`)+"\n"+changedLine("ann", "", "")+"\n"+
		`{"type":"membership","organisationId":"$other","userId":"$bob","role":"admin"}`, func() {
		require.NoError(t, tb.Exec(t, b.OwnerURL, fill(`update users set password_hash = 'new' where id = '$ann';
			update organisations set reporting_mode = 'pseudonymous' where id = '$acme'`)))
	})
	require.Equal(t, "pseudonymous new", b.queryOne(fill(`select concat_ws(' ',
		(select reporting_mode from organisations where id = '$acme'),
		(select password_hash from users where id = '$ann'))`)))
}

// An erasure that waits for a running import's plays does not block a later file of the import.
func TestErasureGivesWayToAnImport(t *testing.T) {
	b := setup(t)
	owner := pgtest.Open(t, b.OwnerURL, postgres.Options{LockTimeout: time.Minute})
	orgs := org.New(owner, audit.New(owner), nil)
	erased := make(chan error, 1)
	secondFile := Input{"second", func() (io.ReadCloser, error) {
		go func() {
			erased <- orgs.ErasePlayer(t.Context(), idOf("p1").String(),
				func(*gorm.DB, string) error { return nil }, audit.Request{})
		}()
		for b.CountRows(`pg_locks where not granted and locktype in ('tuple', 'transactionid')`) == 0 {
			continue // wait until the erasure has locked the ordinals and waits for the player
		}
		return io.NopCloser(strings.NewReader(fill(changedLine("p2", `"Two"`, `"Zwei"`)) + "\n")), nil
	}}
	tb.Must(b.importFiles(filledFile("first", changedLine("play", `"id":"$play"`, `"id":"$new"`)), secondFile))(t)
	require.NoError(t, <-erased)
}
