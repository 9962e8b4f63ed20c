// Package demo has two organisations to look at: their file in the import format, their accounts
// and their key.
//
// organisations.ndjson has all but the plays. Names of the second organisation are valid, but
// dangerous in a spreadsheet, a page or a terminal.
//
// Accounts have published passwords and addresses under example.com and example.org: never load the
// demo into a server that others reach.
package demo
