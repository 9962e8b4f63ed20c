// Package commands has the commands of dg. Run parses the arguments and runs a command on the given
// Stdio; main.go passes that of the process.
//
// A command is a struct of its flags and settings with a method Run. Shared: database.go opens or
// starts the database, operator.go works as the owner of the tables.
package commands
