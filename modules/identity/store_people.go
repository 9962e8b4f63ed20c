package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Person is a user as other packages see it.
type Person struct {
	ID, Name, Email string
	TwoStep         bool       // whether two-step verification is on
	TwoStepSince    *time.Time // nil if off, or if the secret was imported
	HasPassword     bool
	PasswordSince   *time.Time // nil without a password, or if it was imported
}

type userRow struct {
	ID            string
	Email         string
	EmailKey      string
	Name          string
	PasswordHash  *string
	PasswordSince *time.Time
	TOTPSecret    *string // the stored form, which may be encrypted
	TOTPSince     *time.Time
	TOTPLastStep  int64 // time step of the last accepted code
}

func (userRow) TableName() string { return "users" }

func (r userRow) person() Person {
	return Person{
		ID:            r.ID,
		Name:          r.Name,
		Email:         r.Email,
		TwoStep:       r.TOTPSecret != nil,
		TwoStepSince:  r.TOTPSince,
		HasPassword:   r.PasswordHash != nil,
		PasswordSince: r.PasswordSince,
	}
}

// ErrNoSuchEmail says that no account has the e-mail.
var ErrNoSuchEmail = apperr.New(apperr.NotFound, "No account has the e-mail: check the spelling.")

// People returns the people with these ids, ordered by name. It omits unknown ids.
func (s *Service) People(ctx context.Context, ids []string) ([]Person, error) {
	var rows []userRow
	err := s.gorm(ctx).Scopes(postgres.Tag("identity.people")).Where("id in ?", ids).
		Order("name, id").Find(&rows).Error
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, apperr.Annotate(err, "identity: people")
}

// PersonIn returns the person who signs in with the e-mail, in the caller's transaction. Errors:
// ErrNoSuchEmail.
func PersonIn(tx transaction, email string) (Person, error) {
	row, err := takeRow[userRow](tx, "identity.personByEmail", ErrNoSuchEmail, "email_key = ?", EmailKey(email))
	return row.person(), err
}

// NamedPersonIn is PersonIn, but prefers the exact spelling of the e-mail. It also finds a person
// who cannot sign in because another account has the same EmailKey (CheckEmails). Errors:
// ErrNoSuchEmail.
func NamedPersonIn(tx transaction, email string) (Person, error) {
	ordered := tx.Clauses(clause.OrderBy{Expression: clause.Expr{
		SQL: "email = ? desc, email_key = ?", Vars: []any{email, EmailKey(email)}}})
	row, err := takeRow[userRow](ordered, "identity.namedPerson", ErrNoSuchEmail, "email = ? or email_key = ?",
		email, EmailKey(email))
	return row.person(), err
}

// AddPersonIn adds a person without a password. The caller's transaction must have the owner's
// role: the serving role may not insert users.
func AddPersonIn(tx transaction, email, name string) (Person, error) {
	row := userRow{ID: uuid.NewString(), Email: email, Name: name}
	err := insertRows(tx.Model(&userRow{}), "identity.addPerson", map[string]any{
		"id": row.ID, "email": email, "email_key": EmailKey(email), "name": name,
	})
	return row.person(), err
}

// DeletePersonIn deletes the account and records it in the logs of the person's organisations.
// leave must lock these organisations, against deadlocks with an import, then call record and end
// the memberships. Earlier entries keep the person's name. The caller's transaction must have the
// role of the tables' owner. Errors: ErrNoSuchEmail, those of leave.
func (o Operator) DeletePersonIn(tx transaction, person Person, leave func(record func() error) error) error {
	err := leave(func() error {
		return o.Recorder.record(tx, person, audit.Entry{Actor: audit.OperatorActor,
			Action: audit.AccountDeleted, Details: map[string]any{"name": person.Name}})
	})
	if err != nil {
		return err
	}
	return deleteRows(tx, "identity.deletePerson", ErrNoSuchEmail, &userRow{}, "id = ?", person.ID)
}
