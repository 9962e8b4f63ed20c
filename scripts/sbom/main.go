// Command sbom writes the software bill of materials of a Go binary to standard output, in
// CycloneDX's JSON: the modules that the binary says it was built from, their licences and what
// they depend on. VERSION is the program's. It holds no time and no random number, so that equal
// binaries have equal ones.
package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

type document struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type     string          `json:"type"`
	Ref      string          `json:"bom-ref"`
	Name     string          `json:"name"`
	Version  string          `json:"version,omitempty"`
	PURL     string          `json:"purl,omitempty"`
	Hashes   []hash          `json:"hashes,omitempty"`
	Licences []licenceChoice `json:"licenses"`
}

type licenceChoice struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	binary, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(binary)
	program, err := newComponent("application", "dg", os.Getenv("VERSION"), ".")
	if err != nil {
		return err
	}
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	std, err := newComponent("library", "std", info.GoVersion[2:], os.Getenv("GOROOT"))
	if err != nil {
		return err
	}
	d := document{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata: metadata{program}, Components: []component{std},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		folder, err := output("go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return err
		}
		c, err := newComponent("library", m.Path, m.Version, folder)
		if err != nil {
			return err
		}
		d.Components = append(d.Components, c)
	}
	if d.Dependencies, err = dependencies(program, d.Components); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(d)
}

func newComponent(kind, name, version, folder string) (component, error) {
	c := component{Type: kind, Name: name, Version: version, PURL: "pkg:golang/" + name + "@" + version}
	c.Ref = c.PURL
	id, err := licence(folder)
	c.Licences = make([]licenceChoice, 1)
	c.Licences[0].Licence.ID = id
	return c, err
}

// licences are the SPDX ids of licences by a phrase of theirs, the more special ones first.
var licences = [][2]string{
	{"Apache License", "Apache-2.0"},
	{"Mozilla Public License", "MPL-2.0"},
	{"Permission is hereby granted, free of charge", "MIT"},
	{"Permission to use, copy, modify", "ISC"},
	{"Neither the name of", "BSD-3-Clause"},
	{"Redistributions of source code", "BSD-2-Clause"},
}

// licence names the licence of a module's folder. One that it does not know is an error.
func licence(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "[LlCc][IiOo][CcPp][EeYy]*"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		plain := strings.Join(strings.Fields(string(text)), " ")
		for _, l := range licences {
			if strings.Contains(plain, l[0]) {
				return l[1], nil
			}
		}
	}
	return "", fmt.Errorf("no known licence in %s", folder)
}

// dependencies are the edges of the module graph between the components.
func dependencies(program component, components []component) ([]dependency, error) {
	graph, err := output("go", "mod", "graph")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{"dg": program.Ref}
	for _, c := range components {
		refs[c.Name] = c.Ref
	}
	edges := map[string][]string{}
	for line := range strings.Lines(graph) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		from, fromVersion, _ := strings.Cut(from, "@")
		to, _, _ = strings.Cut(to, "@")
		a := refs[from]
		b := refs[to]
		chosen := from == "dg" || strings.HasSuffix(a, "@"+fromVersion)
		if a != "" && b != "" && chosen {
			edges[a] = append(edges[a], b)
		}
	}
	var all []dependency
	for _, c := range append([]component{program}, components...) {
		slices.Sort(edges[c.Ref])
		all = append(all, dependency{c.Ref, append([]string{}, slices.Compact(edges[c.Ref])...)})
	}
	return all, nil
}

func output(name string, args ...string) (string, error) {
	out, err := exec.CommandContext(context.Background(), name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %v: %w", name, args, err)
	}
	return strings.TrimSpace(string(out)), nil
}
