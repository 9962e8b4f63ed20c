// Package commands has the commands of dg. A command is a struct of its flags and settings with a
// method Run.
package commands
