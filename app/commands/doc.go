// Package commands has the commands of dg, one file each. Run parses the arguments and runs one of
// them on what it is given to read and write; main.go gives it those of the process.
//
// A command is a struct of its flags and settings with a method Run. What several share:
// database.go opens or starts the database, operator.go works as the owner of the tables,
// secrets.go has the keys of the settings, output_file.go files that are whole or not there.
// settings.go reads the configuration file, help.go is the reference of the settings.
package commands
