package apikeys

import (
	"errors"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// configs/authz_policy.csv grants these permissions.
var (
	CreateKey  = authz.Permission{Resource: "api_key", Action: "create"}
	ListKeys   = authz.Permission{Resource: "api_key", Action: "list"}
	RevokeKey  = authz.Permission{Resource: "api_key", Action: "revoke"}
	ReplaceKey = authz.Permission{Resource: "api_key", Action: "replace"}
	RenameKey  = authz.Permission{Resource: "api_key", Action: "rename"}
)

// Service authenticates keys and manages them.
type Service struct {
	UsageCounter *UsageCounter
	// OnRefusal is called for each recorded refusal, and with UnknownKey if no organisation has the
	// key. It is never nil. Set it before the first request.
	OnRefusal func(audit.Reason)

	db       *postgres.DB
	orgs     Organisations
	auditLog *audit.Log
	policy   *authz.Policy
	now      func() time.Time
}

// New returns the service over db. The caller must start UsageCounter.Run.
func New(
	db *postgres.DB, orgs Organisations, auditLog *audit.Log, policy *authz.Policy, now func() time.Time,
) *Service {
	return &Service{
		UsageCounter: &UsageCounter{db: db, now: now, counts: map[usageKey]counts{}},
		db:           db,
		orgs:         orgs,
		auditLog:     auditLog,
		policy:       policy,
		now:          now,
		OnRefusal:    func(audit.Reason) {},
	}
}

// Actor is a member who manages keys, with the grants for the policy.
type Actor struct {
	Person
	authz.Subject
}

func (a Actor) entry(action audit.Action, id string, request audit.Request) audit.Entry {
	return audit.Entry{
		OrganisationID: a.OrganisationID,
		Actor:          audit.Actor{Kind: audit.Person, ID: a.ID, Name: a.Name},
		Action:         action,
		Target:         audit.Target{Kind: "api_key", ID: id},
		Request:        request,
	}
}

var deniedMessages = map[authz.Permission]string{
	CreateKey:  "Only owners, and admins with two-step verification, create keys.",
	ReplaceKey: "Only owners, and admins with two-step verification, replace keys.",
	RenameKey:  "Only owners, and admins with two-step verification, rename keys.",
	ListKeys:   "Only owners and admins see the organisation's keys.",
	RevokeKey:  "Only owners and admins revoke keys.",
}

// authorize asks the policy. owner is the organisation that owns, or will own, the key.
func (s *Service) authorize(subject authz.Subject, permission authz.Permission, owner string) error {
	err := s.policy.Authorize(subject, permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", deniedMessages[permission])
	}
	return err
}
