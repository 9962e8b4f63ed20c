// Package organisation serves the settings of an organisation: its plan, members and groups, and
// the form that changes the reporting mode.
package organisation
