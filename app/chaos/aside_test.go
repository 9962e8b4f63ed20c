package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// asides are clients that push, each in a process of its own, in make chaos of the lowest priority:
// elsewhere they would take no processor time from the service, nor from the customer beside them.
// They say lines to the test until ctx ends.
var asides = map[string]func(ctx context.Context, order []byte,
	say func(format string, args ...any)) error{
	"hostile": hostileAside,
	"greedy":  greedyAside,
}

// asideVariable names the aside that this program is to be instead of the tests; its order follows
// on the first line of its input.
const asideVariable = "DG_ASIDE"

// asideBegun is the first line of an aside.
const asideBegun = "begun"

// beAside runs an aside until its input ends.
func beAside(name string) error {
	in := bufio.NewReader(os.Stdin)
	order, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	fmt.Println(asideBegun)
	var said strings.Builder // the test reads it at the end
	err = asides[name](ctx, order, func(format string, args ...any) {
		fmt.Fprintf(&said, format+"\n", args...)
	})
	if err == nil {
		_, err = io.WriteString(os.Stdout, said.String())
	}
	return err
}

// aside begins one. said gets its lines when it is told to leave and has ended.
func aside(t *testing.T, name string, order any, said func(line string)) (leave func()) {
	t.Helper()
	text, err := json.Marshal(order)
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "nice", "-n",
		strconv.Itoa(apptest.ChaosSize(0, 19, 19)),
		program)
	cmd.Env = append(os.Environ(), asideVariable+"="+name)
	var failed strings.Builder
	cmd.Stderr = &failed
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	out := bufio.NewReader(pipe)
	require.NoError(t, cmd.Start())
	_, err = in.Write(append(text, '\n'))
	require.NoError(t, err)
	first, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, asideBegun+"\n", first)
	return func() {
		require.NoError(t, in.Close())
		text, err := io.ReadAll(out)
		require.NoError(t, err)
		require.NoError(t, cmd.Wait(), failed.String())
		for line := range strings.Lines(string(text)) {
			said(strings.TrimSpace(line))
		}
	}
}
