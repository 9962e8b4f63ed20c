package org

import "context"

// Group is a group of players, as one is chosen.
type Group struct{ ID, Name string }

// maxGroups is how many groups are listed.
const maxGroups = 500

// Groups returns the organisation's groups by name, at most 500, and beside them the one with the id chosen, where the
// organisation has it.
func (s *Service) Groups(ctx context.Context, organisationID, chosen string) ([]Group, error) {
	if !IsID(chosen) {
		chosen = ""
	}
	return s.groups(ctx, organisationID, chosen)
}
