package authz

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	stringadapter "github.com/casbin/casbin/v2/persist/string-adapter"

	"dg/configs"
)

// Kind says what a subject is: an API key or a member of an organisation.
type Kind string

// These are the kinds of configs/authz_policy.csv.
const (
	Key    Kind = "key"
	Member Kind = "member"
)

// Subject is a caller. Grants are a key's scopes, or what MemberGrants returns for a member.
type Subject struct {
	Kind           Kind
	OrganisationID string
	Grants         []string
}

// MemberGrants returns the role and, with two-step verification, also role+2fa, which admins need
// for some permissions.
func MemberGrants(role string, twoStep bool) []string {
	if twoStep {
		return []string{role, role + "+2fa"}
	}
	return []string{role}
}

// Permission is an action on a kind of resource. The resource's module declares it, and
// configs/authz_policy.csv grants it to scopes and roles.
type Permission struct{ Resource, Action string }

// ErrDenied means that the policy does not grant the permission.
var ErrDenied = errors.New("authz: denied")

// Policy is a compiled casbin model and policy. It is safe for concurrent use.
type Policy struct {
	enforcer *casbin.Enforcer
}

// New compiles the embedded model and policy. It fails only when they are invalid.
func New() (*Policy, error) { return Compile(configs.AuthzModel, configs.AuthzPolicy) }

// Compile returns the Policy of a casbin model and a policy in CSV, such as those in configs/.
func Compile(modelText, policyText string) (*Policy, error) {
	m, err := model.NewModelFromString(modelText)
	if err != nil {
		return nil, fmt.Errorf("authz: model: %w", err)
	}
	e, err := casbin.NewEnforcer(m, stringadapter.NewAdapter(policyText))
	if err != nil {
		return nil, fmt.Errorf("authz: policy: %w", err)
	}
	e.AddFunction("hasGrant", hasGrant)
	return &Policy{e}, nil
}

// Authorize returns nil if s has the permission on a resource of the organisation, else ErrDenied.
// It ignores the case of ids. Any other error means that no decision was made: the caller must
// refuse the request.
func (p *Policy) Authorize(s Subject, permission Permission, organisationID string) error {
	ok, err := p.enforcer.Enforce(string(s.Kind), s.Grants, strings.ToLower(s.OrganisationID),
		strings.ToLower(organisationID), permission.Resource, permission.Action)
	if err != nil {
		return fmt.Errorf("authz: decide %s.%s: %w", permission.Resource, permission.Action, err)
	}
	if !ok {
		return ErrDenied
	}
	return nil
}

// hasGrant tells the casbin model whether a subject's grants contain the grant of a policy line.
func hasGrant(args ...any) (any, error) {
	return slices.Contains(args[0].([]string), args[1].(string)), nil
}
