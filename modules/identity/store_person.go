package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// maxPeople bounds People.
const maxPeople = 1000

// People returns the people with the ids, by name: at most 1,000. Unknown ids are left out.
func (s *Service) People(ctx context.Context, ids []string) ([]Person, error) {
	if len(ids) > maxPeople {
		return nil, fmt.Errorf("identity: people: %d ids, more than %d", len(ids), maxPeople)
	}
	var rows []userRow
	if err := s.gorm(ctx).Scopes(postgres.Tag("identity.people")).Where("id in ?", ids).
		Order("name, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, nil
}

// ErrNoSuchEmail is returned for an e-mail that no account has.
var ErrNoSuchEmail = apperr.New(apperr.NotFound, "No account has the e-mail: check the spelling.")

// PersonIn returns the person with the e-mail in the caller's transaction, and whether the person
// has a password. Errors: ErrNoSuchEmail.
func (s *Service) PersonIn(tx transaction, email string) (_ Person, password bool, _ error) {
	var row userRow
	err := tx.Scopes(postgres.Tag("identity.personByEmail")).
		Where("email_key = ?", EmailKey(email)).Take(&row).Error
	return row.person(), row.PasswordHash != nil, noRow(err, ErrNoSuchEmail, "look for a person")
}

// AddIn adds a person without a password in the caller's transaction, which is the operator's.
func (s *Service) AddIn(tx transaction, email, name string) (Person, error) {
	row := userRow{ID: uuid.NewString(), Email: email, Name: name}
	err := tx.Scopes(postgres.Tag("identity.addPerson")).Model(&userRow{}).Create(map[string]any{
		"id": row.ID, "email": email, "email_key": EmailKey(email), "name": name,
	}).Error
	if err != nil {
		return Person{}, fmt.Errorf("identity: add a person: %w", err)
	}
	return row.person(), nil
}

func person(tx transaction, id string) (Person, error) {
	var row userRow
	if err := tx.Scopes(postgres.Tag("identity.person")).Where("id = ?", id).Take(&row).
		Error; err != nil {
		return Person{}, fmt.Errorf("identity: person: %w", err)
	}
	return row.person(), nil
}

// update sets columns of a person.
func update(tx transaction, name, personID string, columns map[string]any) error {
	err := tx.Scopes(postgres.Tag("identity."+name)).Model(&userRow{}).Where("id = ?", personID).
		Updates(columns).Error
	return apperr.Annotate(err, "identity: "+name)
}
