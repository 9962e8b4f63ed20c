package commands

import (
	"os"
	"runtime"
)

// threadsOfProcessor leaves a thread free to poll the network while requests compute. With one
// thread a processor, Go then polls only every 10 ms.
const threadsOfProcessor = 2

// raiseThreads sets GOMAXPROCS for dg serve. It respects an explicit value.
func raiseThreads() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsOfProcessor * runtime.GOMAXPROCS(0))
	}
}
