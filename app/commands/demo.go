package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/app/assembly"
	"dg/app/demo"
	"dg/modules/apikeys"
	"dg/modules/identity"
	"dg/modules/identity/password"
	"dg/modules/importer"
	"dg/platform/authz"
	"dg/platform/config"
)

// demoCmd is `dg demo`.
type demoCmd struct {
	config.Database
	config.Address
	config.Secrets
	Print bool `help:"Write the demo to standard output in the import format, without a database."`
}

// Run loads the demo, or prints it.
func (c demoCmd) Run(ctx context.Context, p Stdio) error {
	if c.Print {
		return demo.Write(p.Stdout, time.Now())
	}
	base, err := c.Base()
	if err != nil {
		return err
	}
	if !c.Private() {
		return errPublicDemo
	}
	db, err := openEncrypted(ctx, c.Database, true, c.Secrets, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	a, err := assembly.New(ctx,
		assembly.Settings{ServingURL: db.servingURL, BaseURL: base, Log: p.log})
	if err != nil {
		return err
	}
	defer a.Close()
	token, err := loadDemo(ctx, db, a, p)
	if err != nil {
		return err
	}
	return p.print("%s", demoGreeting(base, token))
}

// demoKeyName is the name of the demo key; dg demo replaces keys of this name.
const demoKeyName = "Demo (make run)"

// loadDemo loads the demo into an empty database and replaces the demo key: an earlier one is
// revoked, because its secret cannot be shown again.
func loadDemo(
	ctx context.Context, db *database, a *assembly.Program, p Stdio,
) (token apikeys.Token, err error) {
	var empty bool
	if err := a.Pools.Requests.Pool.QueryRow(ctx,
		`/* app.loadDemo */ select not exists (select from organisations)`).
		Scan(&empty); err != nil {
		return token, fmt.Errorf("look for organisations: %w", err)
	}
	if empty {
		p.log.Info("loading the demo")
		file := importer.Input{Name: "demo", Open: func() (io.ReadCloser, error) {
			r, w := io.Pipe()
			go func() { w.CloseWithError(demo.Write(w, time.Now())) }()
			return r, nil
		}}
		if _, err := importInto(ctx, db, []importer.Input{file}, p); err != nil {
			return token, fmt.Errorf("load the demo: %w", err)
		}
	}
	owner, err := demoOwner(ctx, a)
	if err != nil {
		return token, err
	}
	return replaceDemoKey(ctx, a.Keys, owner)
}

// errPublicDemo refuses the demo where other machines could sign in.
var errPublicDemo = errors.New("the passwords of the demo are published: " +
	"load it where DG_ADDR and DG_BASE_URL are loopback addresses")

// checkPublic fails if an account of the demo still has the password that dg publishes, or if the
// demo is to be loaded. It looks for the demo's e-mails, and computes a hash only where it finds
// one.
func checkPublic(ctx context.Context, a *assembly.Program, load bool) error {
	if load {
		return errPublicDemo
	}
	passwords := map[string]string{}
	for _, a := range demo.Accounts {
		passwords[identity.EmailKey(a.Email)] = a.Password
	}
	rows, err := a.Pools.Requests.Pool.Query(ctx, `/* app.checkPublic */
		select email_key, password_hash from users
		 where email_key = any($1) and password_hash is not null order by email_key`,
		slices.Collect(maps.Keys(passwords)))
	if err != nil {
		return fmt.Errorf("look for accounts of the demo: %w", err)
	}
	var email, hash string
	var published []string
	_, err = pgx.ForEachRow(rows, []any{&email, &hash}, func() error {
		if password.Verify(hash, passwords[email]) {
			published = append(published, email)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for accounts of the demo: %w", err)
	}
	if len(published) == 0 {
		return nil
	}
	return fmt.Errorf("this database has accounts of the demo with published passwords: %s. "+
		"Use another database, or serve it where DG_ADDR and DG_BASE_URL are loopback addresses, "+
		"and change these passwords there (dg account reset)", strings.Join(published, ", "))
}

// demoOwner finds the owner of the demo's first organisation.
func demoOwner(ctx context.Context, a *assembly.Program) (apikeys.Actor, error) {
	owner := apikeys.Actor{
		Subject: authz.Subject{Kind: authz.Member, Grants: authz.MemberGrants("owner", false)},
	}
	err := a.Pools.Requests.Pool.QueryRow(ctx, `/* app.demoOwner */
		select u.id::text, u.name, m.org_id::text from memberships m join users u on u.id = m.user_id
		 where m.role = 'owner' and u.email_key = $1`, demo.Accounts[0].Email).
		Scan(&owner.ID, &owner.Name, &owner.OrganisationID)
	if errors.Is(err, pgx.ErrNoRows) {
		return owner,
			errors.New("this database has organisations, but not those of the demo. Use another " +
				"database (DG_DATA_DIR or DG_DATABASE_URL), or run dg serve")
	}
	if err != nil {
		return owner, fmt.Errorf("look for the demo: %w", err)
	}
	return owner, nil
}

func replaceDemoKey(
	ctx context.Context, keys *apikeys.Service, owner apikeys.Actor,
) (apikeys.Token, error) {
	request := requestOf("dg demo")
	existing, err := keys.List(ctx, owner)
	if err != nil {
		return apikeys.Token{}, err
	}
	for _, k := range existing {
		if k.Name == demoKeyName && !k.Revoked(time.Now()) {
			if err := keys.Revoke(ctx, owner, k.ID, request); err != nil {
				return apikeys.Token{}, err
			}
		}
	}
	_, token, err := keys.Create(ctx, owner, apikeys.NewKey{
		Name:   demoKeyName,
		Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
	}, request)
	return token, err
}

// demoGreeting explains how to try the demo at base. It contains the key: print it to standard
// output, never to the log.
func demoGreeting(base string, key apikeys.Token) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nSign in at %s/sign-in as one of these:\n", base)
	for _, p := range demo.Accounts {
		step := ""
		if p.TOTPSecret != "" {
			step = ", with codes from " + p.TOTPSecret
		}
		fmt.Fprintf(&b, "  %-26s %-26s %s of %s%s\n", p.Email, p.Password, p.Role, p.Organisation,
			step)
	}
	fmt.Fprintf(&b, "\nA key that reads the forks and reports of %s:\n  %s\n",
		demo.Accounts[0].Organisation, key)
	fmt.Fprintf(&b, "\nTry it:\n  curl -sS -H 'Authorization: Bearer %s' %s/api/v1/forks\n\n",
		key, base)
	return b.String()
}
