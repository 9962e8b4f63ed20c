package commands

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

// printHelp prints kong's help. `dg --help` also lists every setting of every command.
func printHelp(options kong.HelpOptions, c *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, c); err != nil || c.Selected() != nil {
		return err
	}
	w := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nSettings of the commands:")
	var told []string
	for _, command := range c.Model.Children {
		for _, flag := range command.Flags {
			if len(flag.Envs) == 0 || slices.Contains(told, flag.Name) {
				continue
			}
			told = append(told, flag.Name)
			names := flag.Envs
			if flag.Tag.Has("secret") {
				names = append(names, names[0]+fileSuffix)
			}
			fmt.Fprintf(w, "  %s\t--%s\t%s\n", strings.Join(names, ", "), flag.Name,
				firstSentence(flag.Help))
		}
	}
	fmt.Fprintln(w, "  OTEL_…\t\tOpenTelemetry's variables: OTEL_EXPORTER_OTLP_ENDPOINT sends traces.")
	fmt.Fprintln(w, "  PG_BIN\t\tFolder of PostgreSQL's programs, for the embedded server.")
	return w.Flush()
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".") + "."
}
