package authz

import (
	"errors"
	"fmt"
	"slices"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	stringadapter "github.com/casbin/casbin/v2/persist/string-adapter"

	"dg/configs"
)

// Kind says what a subject is: an API key or a member of an organisation.
type Kind string

// The kinds of subject.
const (
	Key    Kind = "key"
	Member Kind = "member"
)

// Subject is a key with its scopes as grants, or a member with a role and, while two-step
// verification is on, also the role with "+2fa".
type Subject struct {
	Kind           Kind
	OrganisationID string
	Grants         []string
}

// MemberGrants returns the grants of a member: the role and, with two-step verification on, the
// role with "+2fa".
func MemberGrants(role string, twoStep bool) []string {
	if twoStep {
		return []string{role, role + "+2fa"}
	}
	return []string{role}
}

// Permission is an action on a kind of resource.
type Permission struct{ Resource, Action string }

// The permissions of the policy.
var (
	ListForks    = Permission{"fork", "list"}
	ReadFork     = Permission{"fork", "read"}
	ReadReport   = Permission{"report", "read"}
	ExportReport = Permission{"report", "export"}
	CreateKey    = Permission{"api_key", "create"}
	ListKeys     = Permission{"api_key", "list"}
	RevokeKey    = Permission{"api_key", "revoke"}
	ReplaceKey   = Permission{"api_key", "replace"}
	RenameKey    = Permission{"api_key", "rename"}

	ReadAuditLog        = Permission{"audit_log", "read"}
	ReadOrganisation    = Permission{"organisation", "read"}
	ChangeReportingMode = Permission{"reporting_mode", "change"}
)

// ErrDenied means that the policy does not grant the permission.
var ErrDenied = errors.New("authz: denied")

// Policy decides by a model and a policy of casbin. It is safe for concurrent use.
type Policy struct {
	enforcer *casbin.Enforcer
}

// New compiles the embedded model and policy. It fails only when they are invalid.
func New() (*Policy, error) { return Compile(configs.AuthzModel, configs.AuthzPolicy) }

// Compile compiles a model and a policy in the form of those in configs/.
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

// Authorize returns nil when s has the permission on a resource owned by the organisation, and
// ErrDenied when not. Any other error is a failure to decide, and refuses too.
func (p *Policy) Authorize(s Subject, want Permission, organisationID string) error {
	ok, err := p.enforcer.Enforce(string(s.Kind), s.Grants, s.OrganisationID, organisationID,
		want.Resource, want.Action)
	if err != nil {
		return fmt.Errorf("authz: decide %s.%s: %w", want.Resource, want.Action, err)
	}
	if !ok {
		return ErrDenied
	}
	return nil
}

// hasGrant is the model's function of that name: it reports whether the subject's grants include
// the grant of a rule.
func hasGrant(args ...any) (any, error) {
	if len(args) != 2 {
		return false, errors.New("hasGrant: want two arguments")
	}
	grants, ok := args[0].([]string)
	if !ok {
		return false, errors.New("hasGrant: the grants are not a list")
	}
	grant, ok := args[1].(string)
	return ok && slices.Contains(grants, grant), nil
}
