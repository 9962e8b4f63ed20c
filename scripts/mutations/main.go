// Command mutations breaks a rule in one place at a time, and prints the tests that fail then. One
// group of mutations breaks the isolation of organisations. The other is semantic: a bound, an
// order, a missing condition, swapped arguments. Arguments are groups, or beginnings of names. It
// fails where no test does, or where the text to break has changed. No file is changed: the
// compiler is given another text for it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mutation is a text of a file, what takes its place, and the tests of a package of which one must
// fail then.
type mutation struct {
	name, rule         string
	file, old, mutated string
	pkg, tests         string
}

var groups = []struct {
	name      string
	mutations []mutation
}{{"isolation", isolation}, {"semantic", semantic}}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	const row = "%-56s  %-17s  %s\n"
	fmt.Fprintf(os.Stdout, row, "BREAK", "RULE", "RED")
	var failed error
	for _, group := range groups {
		for i, m := range group.mutations {
			if !chosen(group.name, m.name) {
				continue
			}
			red, err := m.run(ctx, filepath.Join(dir, fmt.Sprint(group.name, i)))
			if err != nil {
				red = "NONE"
				failed = errors.Join(failed, fmt.Errorf("%s: %w", m.name, err))
			}
			fmt.Fprintf(os.Stdout, row, m.name, m.rule, red)
		}
	}
	return failed
}

// chosen reports whether a mutation runs.
func chosen(group, name string) bool {
	return len(os.Args) == 1 || slices.ContainsFunc(os.Args[1:], func(arg string) bool {
		return arg == group || strings.HasPrefix(name, arg)
	})
}

// run returns the tests that fail with the mutation. They pass without it.
func (m mutation) run(ctx context.Context, dir string) (red string, err error) {
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", err
	}
	if out, err := m.test(ctx); err != nil {
		return "", fmt.Errorf("the test fails without the mutation: %s", out)
	}
	out, err := m.test(ctx, "-overlay", overlay)
	if err == nil {
		return "", errors.New("no test fails")
	}
	var tests []string
	for line := range strings.Lines(out) {
		if name, failed := strings.CutPrefix(line, "--- FAIL: "); failed {
			name, _, _ = strings.Cut(name, " ")
			tests = append(tests, name)
		}
	}
	if tests == nil {
		return "", fmt.Errorf("the mutation does not compile: %s", out)
	}
	return m.pkg + " " + strings.Join(tests, ", "), nil
}

func (m mutation) test(ctx context.Context, flags ...string) (string, error) {
	args := append([]string{"test", "-vet=off", "-run", m.tests}, flags...)
	out, err := exec.CommandContext(ctx, "go", append(args, "./"+m.pkg)...).CombinedOutput()
	return string(out), err
}

// overlay writes the mutated file, and the file that tells the compiler of it.
func (m mutation) overlay(dir string) (string, error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), m.old) != 1 {
		return "", fmt.Errorf("%s does not hold %q once: write the mutation anew", m.file, m.old)
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	mutated := filepath.Join(dir, filepath.Base(m.file))
	overlay := filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.Mkdir(dir, 0o700),
		os.WriteFile(mutated, []byte(strings.Replace(string(text), m.old, m.mutated, 1)), 0o600),
		os.WriteFile(overlay, replace, 0o600))
}
