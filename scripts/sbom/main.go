// Command sbom writes the software bill of materials of a Go binary to standard output, in
// CycloneDX's JSON: the modules that the binary says it was built from. It holds no time and no
// random number, so that equal binaries have equal ones.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

type document struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
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
	d := document{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata: metadata{
			component{
				Type:   "application",
				Name:   "dg",
				Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
			},
		},
		Components: []component{
			{
				Type:    "library",
				Name:    "std",
				Version: info.GoVersion[2:],
				PURL:    "pkg:golang/std@" + info.GoVersion[2:],
			},
		},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, component{
			Type:    "library",
			Name:    m.Path,
			Version: m.Version,
			PURL:    "pkg:golang/" + m.Path + "@" + m.Version,
		})
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(d)
}
