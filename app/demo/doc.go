// Package demo has two sample organisations with accounts, and an API key for the first.
//
// organisations.ndjson has all but the plays. Some names in the second organisation are valid, but
// dangerous in a spreadsheet, a page or a terminal.
//
// Accounts have published passwords and addresses under example.com and example.org: never load the
// demo into a server that others reach.
package demo
