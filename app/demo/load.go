package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/authz"
)

// These constants repeat organisations.ndjson: its first organisation and that organisation's owner,
// who is the first of Accounts. IsEmpty recognises the demo by both ids.
const (
	organisationID = "236f0db3-d58c-4b1e-8592-7f32fa68a7db"
	ownerID        = "67749781-09ab-4d07-b590-8b89f7427111"
	ownerName      = "Maren Solheim"
)

// Account is a person of the demo who can sign in.
type Account struct {
	Organisation    string
	Email, Password string
	Role            string // owner, admin or member
	TOTPSecret      string // empty: no two-step verification
}

const (
	harbourName = "Harbour & Vale Logistics"
	atelierName = "Atelier <North & Light>"
)

// Accounts are the people of organisations.ndjson, with their passwords.
var Accounts = []Account{
	{harbourName, "maren@harbour.example.com", "owner-of-harbour", "owner", ""},
	{harbourName, "tomas@harbour.example.com", "admin-with-two-steps", "admin", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"},
	{harbourName, "claire@harbour.example.com", "admin-without-second-step", "admin", ""},
	{harbourName, "ilya@harbour.example.com", "member-of-harbour", "member", ""},
	{atelierName, "noor@atelier.example.org", "owner-of-atelier", "owner", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"},
}

// Open returns a reader of the demo with plays up to now, which is generated while it is read.
func Open() (io.ReadCloser, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(Write(w, time.Now())) }()
	return r, nil
}

// ErrNotLoopback means that other machines could sign in with the demo's published passwords.
var ErrNotLoopback = errors.New("the passwords of the demo are published: " +
	"load it where DG_ADDR and DG_BASE_URL are loopback addresses")

// CheckPasswords fails if an account of the demo still has its published password.
func CheckPasswords(ctx context.Context, db *pgxpool.Pool) error {
	var published []string
	for _, a := range Accounts {
		var hash string
		if err := db.QueryRow(ctx, `/* demo.checkPublic */
			select coalesce((select password_hash from users where email_key = $1), '')`,
			identity.EmailKey(a.Email)).Scan(&hash); err != nil {
			return fmt.Errorf("look for accounts of the demo: %w", err)
		}
		if identity.PasswordMatches(hash, a.Password) {
			published = append(published, a.Email)
		}
	}
	if len(published) == 0 {
		return nil
	}
	return fmt.Errorf("this database has accounts of the demo with published passwords: %s: use "+
		"another database, or serve this one where DG_ADDR and DG_BASE_URL are loopback addresses, "+
		"and change these passwords there (dg account reset)", strings.Join(published, ", "))
}

// IsEmpty reports whether there are no organisations. It fails if some exist, but not the demo's.
func IsEmpty(ctx context.Context, db *pgxpool.Pool) (empty bool, err error) {
	var loaded bool
	if err := db.QueryRow(ctx, `/* demo.isEmpty */
		select not exists (select from organisations),
		  exists (select from memberships where (org_id, user_id, role) = ($1, $2, 'owner'))`,
		organisationID, ownerID).Scan(&empty, &loaded); err != nil {
		return false, fmt.Errorf("look for the demo: %w", err)
	}
	if !empty && !loaded {
		return false, errors.New("this database has organisations, but not those of the demo. Use " +
			"another database (DG_DATA_DIR or DG_DATABASE_URL), or run dg serve")
	}
	return empty, nil
}

const keyName = "Demo (make run)"

// RecreateKey revokes the demo key and creates a new one: dg cannot show the old secret again.
func RecreateKey(
	ctx context.Context, keys *apikeys.Service, request audit.Request,
) (apikeys.Token, error) {
	owner := apikeys.Actor{
		Person: apikeys.Person{ID: ownerID, Name: ownerName},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: organisationID,
			Grants:         authz.MemberGrants("owner", false),
		},
	}
	existing, err := keys.List(ctx, owner)
	if err != nil {
		return apikeys.Token{}, err
	}
	for _, k := range existing {
		if k.Name == keyName && !k.Revoked(time.Now()) {
			if err := keys.Revoke(ctx, owner, k.ID, request); err != nil {
				return apikeys.Token{}, err
			}
		}
	}
	_, token, err := keys.Create(ctx, owner, apikeys.NewKey{
		Name:   keyName,
		Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
	}, request)
	return token, err
}

// Greeting says how to try the demo. It contains the key, so it must not be logged.
func Greeting(base string, key apikeys.Token) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nSign in at %s/sign-in as one of these:\n", base)
	for _, a := range Accounts {
		step := ""
		if a.TOTPSecret != "" {
			step = ", with codes from " + a.TOTPSecret
		}
		fmt.Fprintf(&b, "  %-26s %-26s %s of %s%s\n", a.Email, a.Password, a.Role, a.Organisation,
			step)
	}
	fmt.Fprintf(&b, "\nA key that reads the forks and reports of %s:\n  %s\n", harbourName, key)
	fmt.Fprintf(&b, "\nTry it:\n  curl -q -sS -H 'Authorization: Bearer %s' %s/api/v1/forks\n\n", key, base)
	return b.String()
}
