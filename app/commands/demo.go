package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"dg/app/demo"
	"dg/app/doctor"
	"dg/modules/apikeys"
	"dg/modules/audit"
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
	s := doctor.Subject{Log: p.log, Serve: config.Serve{Database: c.Database, Secrets: c.Secrets}}
	db, err := open(ctx, &s)
	if err != nil {
		return err
	}
	defer db.release()
	greeting, err := loadDemo(ctx, db, p, base)
	if err != nil {
		return err
	}
	return p.print("%s", greeting)
}

// demoKeyName is the name of the demo key; dg demo replaces keys of this name.
const demoKeyName = "Demo (make run)"

// loadDemo loads the demo into an empty database, replaces the demo key, and returns how to try it
// at base.
func loadDemo(ctx context.Context, db *database, p Stdio, base string) (string, error) {
	o, err := db.operator(ctx, "dg demo")
	if err != nil {
		return "", err
	}
	defer o.Close()
	var empty, loaded bool
	if err := o.Pool.QueryRow(ctx, `/* app.loadDemo */
		select not exists (select from organisations),
		  exists (select from memberships where (org_id, user_id, role) = ($1, $2, 'owner'))`,
		demo.OrganisationID, demo.OwnerID).Scan(&empty, &loaded); err != nil {
		return "", fmt.Errorf("look for the demo: %w", err)
	}
	if !empty && !loaded {
		return "", errors.New("this database has organisations, but not those of the demo. Use another " +
			"database (DG_DATA_DIR or DG_DATABASE_URL), or run dg serve")
	}
	if empty {
		p.log.Info("loading the demo")
		if _, err := o.importFiles(ctx, []importer.Input{demoFile}, db.keys, p); err != nil {
			return "", fmt.Errorf("load the demo: %w", err)
		}
	}
	key, err := o.replaceDemoKey(ctx)
	if err != nil {
		return "", err
	}
	return demoGreeting(base, key), nil
}

var demoFile = importer.Input{Name: "demo", Open: func() (io.ReadCloser, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(demo.Write(w, time.Now())) }()
	return r, nil
}}

// errPublicDemo refuses the demo where other machines could sign in.
var errPublicDemo = errors.New("the passwords of the demo are published: " +
	"load it where DG_ADDR and DG_BASE_URL are loopback addresses")

// checkPublic fails if an account of the demo still has the password that dg publishes.
func (db *database) checkPublic(ctx context.Context) error {
	o, err := db.operator(ctx, "dg serve")
	if err != nil {
		return err
	}
	defer o.Close()
	var published []string
	for _, a := range demo.Accounts {
		var hash string
		if err := o.Pool.QueryRow(ctx, `/* app.checkPublic */
			select coalesce((select password_hash from users where email_key = $1), '')`,
			identity.EmailKey(a.Email)).Scan(&hash); err != nil {
			return fmt.Errorf("look for accounts of the demo: %w", err)
		}
		if password.Verify(hash, a.Password) {
			published = append(published, a.Email)
		}
	}
	if len(published) == 0 {
		return nil
	}
	return fmt.Errorf("this database has accounts of the demo with published passwords: %s. "+
		"Use another database, or serve it where DG_ADDR and DG_BASE_URL are loopback addresses, "+
		"and change these passwords there (dg account reset)", strings.Join(published, ", "))
}

// replaceDemoKey revokes an earlier demo key, because its secret cannot be shown again.
func (o *operator) replaceDemoKey(ctx context.Context) (apikeys.Token, error) {
	keys := apikeys.New(o.DB, o.orgs, o.log, o.policy, time.Now, func(audit.Reason) {})
	owner := apikeys.Actor{
		Person: apikeys.Person{ID: demo.OwnerID, Name: demo.OwnerName},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: demo.OrganisationID,
			Grants:         authz.MemberGrants("owner", false),
		},
	}
	existing, err := keys.List(ctx, owner)
	if err != nil {
		return apikeys.Token{}, err
	}
	for _, k := range existing {
		if k.Name == demoKeyName && !k.Revoked(time.Now()) {
			if err := keys.Revoke(ctx, owner, k.ID, o.request); err != nil {
				return apikeys.Token{}, err
			}
		}
	}
	_, token, err := keys.Create(ctx, owner, apikeys.NewKey{
		Name:   demoKeyName,
		Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
	}, o.request)
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
