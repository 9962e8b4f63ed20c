package apptest

import "sync"

// Concurrently calls do n times concurrently and waits for all calls.
func Concurrently(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
