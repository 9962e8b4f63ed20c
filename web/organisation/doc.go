// Package organisation is the settings of an organisation: plan, members, groups and the reporting
// mode.
package organisation
