// Package commands has the commands of dg: structs of flags and settings, with a method Run.
package commands
