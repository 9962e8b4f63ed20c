package apikeys

import (
	"errors"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// Actor is a member who manages keys, with the grants for the policy.
type Actor struct {
	Person
	authz.Subject
}

// core is shared by Reader and Manager.
type core struct {
	db     *postgres.DB
	policy *authz.Policy
	now    func() time.Time
}

var deniedMessages = map[authz.Permission]string{
	authz.CreateKey:  "Only owners, and admins with two-step verification, create keys.",
	authz.ReplaceKey: "Only owners, and admins with two-step verification, replace keys.",
	authz.RenameKey:  "Only owners, and admins with two-step verification, rename keys.",
	authz.ListKeys:   "Only owners and admins see the organisation's keys.",
	authz.RevokeKey:  "Only owners and admins revoke keys.",
}

// authorize asks the policy about the organisation that owns, or will own, a key.
func (c *core) authorize(subject authz.Subject, permission authz.Permission, owner string) error {
	err := c.policy.Authorize(subject, permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", deniedMessages[permission])
	}
	return err
}

// authorizeAll authorises for the owner of each key, so that a query that reads another
// organisation's keys fails.
func (c *core) authorizeAll(subject authz.Subject, permission authz.Permission, keys []Key) error {
	for _, k := range keys {
		if k.OrganisationID != subject.OrganisationID {
			if err := c.authorize(subject, permission, k.OrganisationID); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry is the actor's audit entry about the key with the id.
func (a Actor) entry(action audit.Action, id string, request audit.Request) audit.Entry {
	return audit.Entry{
		OrganisationID: a.OrganisationID,
		Actor:          audit.Actor{Kind: audit.Person, ID: a.ID, Name: a.Name},
		Action:         action,
		Target:         audit.Target{Kind: "api_key", ID: id},
		Request:        request,
	}
}
