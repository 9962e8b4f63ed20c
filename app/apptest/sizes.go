package apptest

import "os"

// Soak reports whether tests have the sizes of make soak.
var Soak = os.Getenv("DG_SOAK") == "1"

// Chaos reports whether the tests of chaos have their full sizes (make chaos, make soak).
var Chaos = Soak || os.Getenv("DG_CHAOS") == "1"

// Sized returns the size of make test, of make chaos or of make soak.
func Sized(cut, chaotic, soaked int) int {
	switch {
	case Soak:
		return soaked
	case Chaos:
		return chaotic
	}
	return cut
}
