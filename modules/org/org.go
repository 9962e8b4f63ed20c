package org

// Plan is what an organisation pays for.
type Plan string

// The plans, lowest first.
const (
	PlanFree       Plan = "free"
	PlanTeam       Plan = "team"
	PlanPro        Plan = "pro"
	PlanEnterprise Plan = "enterprise"
)

// IncludesAPI says whether the reporting API is part of the plan (specification, section 1).
func (p Plan) IncludesAPI() bool { return p == PlanPro || p == PlanEnterprise }

// ReportingMode says how players are named in reports (specification, section 2.4).
type ReportingMode string

// The reporting modes.
const (
	Pseudonymous ReportingMode = "pseudonymous"
	Nominative   ReportingMode = "nominative"
)

// Role is what a person may do in an organisation.
type Role string

// The roles.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// Valid says whether m is one of the modes.
func (m ReportingMode) Valid() bool { return m == Pseudonymous || m == Nominative }
