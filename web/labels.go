package web

import "dg/modules/org"

// What several wings call a role, a plan and a reporting mode.
var (
	roleLabels = map[org.Role]string{org.RoleOwner: "Owner", org.RoleAdmin: "Admin", org.RoleMember: "Member"}
	planLabels = map[org.Plan]string{org.PlanFree: "Free", org.PlanTeam: "Team", org.PlanPro: "Pro", org.PlanEnterprise: "Enterprise"}
	modeLabels = map[org.ReportingMode]string{org.Pseudonymous: "Pseudonymous", org.Nominative: "Nominative"}
)
