package ui

import (
	"context"

	"dg/modules/games"
	"dg/platform/authz"
)

// ForkLister lists an organisation's forks.
type ForkLister interface {
	Forks(ctx context.Context, organisationID string) ([]games.Fork, error)
}

// ForksOf returns the forks of the principal's organisation.
func ForksOf(ctx context.Context, list ForkLister, p *Principal) ([]games.Fork, error) {
	forks, err := list.Forks(ctx, p.Organisation.ID)
	if err != nil {
		return nil, err
	}
	return forks, AuthorizeAll(p, authz.ListForks, forks, func(f games.Fork) string {
		return f.OrganisationID
	})
}
