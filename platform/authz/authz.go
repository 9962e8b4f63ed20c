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

// Kind says what a subject is.
type Kind string

// The kinds of subject.
const (
	Key    Kind = "key"
	Member Kind = "member"
)

// Subject is who asks: a key with its scopes, or a member with a role and, when two-step verification is on, the role
// with "+2fa" as well.
type Subject struct {
	Kind           Kind
	OrganisationID string
	Grants         []string
}

// MemberGrants is what a member with the role holds.
func MemberGrants(role string, twoStep bool) []string {
	if twoStep {
		return []string{role, role + "+2fa"}
	}
	return []string{role}
}

// Permission is what a subject wants to do: an action on a kind of resource. The permissions of the policy are declared below.
type Permission struct{ Resource, Action string }

// The permissions that the policy knows.
var (
	ListForks    = Permission{"fork", "list"}
	ReadFork     = Permission{"fork", "read"}
	ReadReport   = Permission{"report", "read"}
	ExportReport = Permission{"report", "export"}
	CreateKey    = Permission{"api_key", "create"}
	ListKeys     = Permission{"api_key", "list"}
	RevokeKey    = Permission{"api_key", "revoke"}

	ReadAuditLog        = Permission{"audit_log", "read"}
	ReadOrganisation    = Permission{"organisation", "read"}
	ChangeReportingMode = Permission{"reporting_mode", "change"}
)

// ErrDenied says that the policy does not allow the permission.
var ErrDenied = errors.New("authz: denied")

// Policy decides by the embedded model and policy. It is safe for concurrent use.
type Policy struct{ enforcer *casbin.Enforcer }

// New compiles the embedded model and policy. It fails only when these are broken.
func New() (*Policy, error) {
	m, err := model.NewModelFromString(configs.AuthzModel)
	if err != nil {
		return nil, fmt.Errorf("authz: model: %w", err)
	}
	e, err := casbin.NewEnforcer(m, stringadapter.NewAdapter(withoutComments(configs.AuthzPolicy)))
	if err != nil {
		return nil, fmt.Errorf("authz: policy: %w", err)
	}
	e.AddFunction("hasGrant", hasGrant)
	return &Policy{enforcer: e}, nil
}

// Authorize returns nil when s may do the permission to something that the organisation owner has, and ErrDenied when it may not.
// Any other error is a failure to decide, and refuses too.
func (p *Policy) Authorize(s Subject, d Permission, owner string) error {
	ok, err := p.enforcer.Enforce(string(s.Kind), s.Grants, s.OrganisationID, owner, d.Resource, d.Action)
	if err != nil {
		return fmt.Errorf("authz: decide %s.%s: %w", d.Resource, d.Action, err)
	}
	if !ok {
		return ErrDenied
	}
	return nil
}

// hasGrant is the model's function: whether grants holds grant.
func hasGrant(args ...any) (any, error) {
	if len(args) != 2 {
		return false, errors.New("hasGrant: two arguments wanted")
	}
	grants, ok := args[0].([]string)
	if !ok {
		return false, errors.New("hasGrant: the grants are not a list")
	}
	grant, ok := args[1].(string)
	return ok && slices.Contains(grants, grant), nil
}

// withoutComments drops the lines that the adapter would take for a policy of their own.
func withoutComments(policy string) string {
	var lines []string
	for line := range strings.Lines(policy) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
