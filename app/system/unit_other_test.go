//go:build !linux

package system

func runInstead() {}
