package ui

import "dg/modules/org"

// What several wings call a role, a plan and a reporting mode.
var (
	RoleLabels = map[org.Role]string{
		org.RoleOwner:  "Owner",
		org.RoleAdmin:  "Admin",
		org.RoleMember: "Member",
	}
	PlanLabels = map[org.Plan]string{
		org.PlanFree:       "Free",
		org.PlanTeam:       "Team",
		org.PlanPro:        "Pro",
		org.PlanEnterprise: "Enterprise",
	}
	ModeLabels = map[org.ReportingMode]string{
		org.Pseudonymous: "Pseudonymous",
		org.Nominative:   "Nominative",
	}
)
