package audit

// Action names an event of the log.
type Action string

// Kind is an action as the log shows it.
type Kind struct {
	Action Action
	Label  string
	Row    []string // the values that a row of the log shows, in this order
}

// Kinds are all actions, in the order of the filter's options. No other can be appended.
var Kinds []Kind

// action adds an action to the table: its code, its label, and the values of its row by the names
// that Entry.Values gives them.
func action(code Action, label string, row ...string) Action {
	Kinds = append(Kinds, Kind{code, label, row})
	return code
}

// The table of actions. Those of people's security and a reset link are in the logs of all of the
// person's organisations.
var (
	KeyCreated     = action("api_key.created", "Key created", "target")
	KeyReplaced    = action("api_key.replaced", "Key replaced", "target", "stopsAt")
	KeyRenamed     = action("api_key.renamed", "Key renamed", "target", "oldName")
	KeyRevoked     = action("api_key.revoked", "Key revoked", "target")
	ExportStarted  = action("export.started", "Export started", "target", "groupId", "reportingMode")
	ExportFinished = action("export.finished", "Export ended", "target", "outcome", "rows")
	KeyRefused     = action("api_key.refused", "Request refused", "reason", "refusals", "path")

	ReportingModeChanged = action("reporting_mode.changed", "Reporting mode changed", "from", "to")

	LogExported = action("audit_log.exported", "Audit log downloaded")
	LogPruned   = action("audit_log.pruned", "Old entries removed", "before", "entries")

	PlayerErased        = action("player.erased", "Player erased", "target")
	OrganisationCreated = action("organisation.created", "Organisation created", "plan")
	PlanChanged         = action("plan.changed", "Plan changed", "from", "to")
	RoleChanged         = action("role.changed", "Role changed", "target", "from", "to")
	ResetCreated        = action("account.reset_created", "Reset link created", "target", "until")

	TwoStepTurnedOn  = action("two_step.turned_on", "Two-step turned on")
	TwoStepTurnedOff = action("two_step.turned_off", "Two-step turned off")
	RecoveryCodeUsed = action("recovery_code.used", "Recovery code used")
	PasswordChanged  = action("password.changed", "Password changed")
	PasswordReset    = action("password.reset", "Password reset")
)

// KindOf returns the action's line of the table. Errors: ok is false for an unknown one.
func KindOf(a Action) (k Kind, ok bool) {
	for _, k := range Kinds {
		if k.Action == a {
			return k, true
		}
	}
	return Kind{Action: a, Label: string(a)}, false
}
