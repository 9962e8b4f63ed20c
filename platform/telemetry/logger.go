package telemetry

import (
	"fmt"
	"io"
	"log/slog"
)

// NewLogger returns a logger to w. level is debug, info, warn or error; format is json or text.
// Durations are milliseconds in both formats, and the names of their fields end in _ms.
func NewLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	o := &slog.HandlerOptions{Level: l, ReplaceAttr: inMilliseconds}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	default:
		return nil, fmt.Errorf("log format %q: use json or text", format)
	}
}

func inMilliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
}
