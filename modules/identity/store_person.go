package identity

import (
	"context"
	"fmt"

	"dg/platform/postgres"
)

// maxPeople bounds People.
const maxPeople = 1000

// People returns the people with the ids, by name: at most 1,000. Unknown ids are left out.
func (a *Accounts) People(ctx context.Context, ids []string) ([]Person, error) {
	if len(ids) > maxPeople {
		return nil, fmt.Errorf("identity: people: %d ids, more than %d", len(ids), maxPeople)
	}
	var rows []userRow
	if err := a.gorm(ctx).Scopes(postgres.Tag("identity.people")).Where("id in ?", ids).
		Order("name, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, nil
}

// SetRegion stores how the session's person writes numbers and dates; "" leaves it to the browser.
// Errors: ErrNoSession.
func (a *Accounts) SetRegion(ctx context.Context, token, region string) error {
	of, err := a.signedIn(ctx, token, a.clock())
	if err != nil {
		return err
	}
	var stored *string
	if region != "" {
		stored = &region
	}
	return update(a.gorm(ctx), "setRegion", of.Person.ID, map[string]any{"region": stored})
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
	if err != nil {
		return fmt.Errorf("identity: %s: %w", name, err)
	}
	return nil
}
