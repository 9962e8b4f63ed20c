package commands

import (
	"os"
	"runtime"
)

// threadsOfProcessor is the number of threads for each processor. With one, computing requests
// occupy all threads, and Go polls the network only every ten milliseconds, at each round trip of
// each request. With two, a thread is free to poll. configs/deploy/measurements.md has the figures.
const threadsOfProcessor = 2

// raiseThreads sets GOMAXPROCS for dg serve. It respects an explicit value.
func raiseThreads() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsOfProcessor * runtime.GOMAXPROCS(0))
	}
}
