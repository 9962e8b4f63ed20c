package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"path"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
)

//go:embed static
var staticFiles embed.FS

// files are the stylesheets, scripts and images by name, in memory.
type files map[string]file

type file struct {
	body, gzipped []byte
	mediaType     string
	version       string
}

func loadFiles() (files, error) {
	all := files{}
	err := fs.WalkDir(staticFiles, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := staticFiles.ReadFile(name)
		if err != nil {
			return err
		}
		mediaType := mime.TypeByExtension(path.Ext(name))
		if mediaType == "" {
			mediaType = "text/plain; charset=utf-8"
		}
		sum := sha256.Sum256(body)
		all[name[len("static/"):]] = file{body, httpserver.Gzip(body), mediaType, hex.EncodeToString(sum[:6])}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("web: files: %w", err)
	}
	return all, nil
}

// path is the address of a file with the version of its content, so that browsers may cache it for ever.
func (f files) path(name string) (string, error) {
	known, ok := f[name]
	if !ok {
		return "", fmt.Errorf("there is no file %q", name)
	}
	return "/static/" + name + "?v=" + known.version, nil
}

// serveStatic answers GET /static/….
func (h *Handler) serveStatic(c *fiber.Ctx) error {
	f, ok := h.files[c.Params("*")]
	if !ok {
		return fiber.ErrNotFound
	}
	control := "no-cache"
	if c.Query("v") == f.version {
		control = "public, max-age=31536000, immutable"
	}
	return httpserver.SendFile(c, httpserver.File{Body: f.body, Gzipped: f.gzipped, MediaType: f.mediaType, CacheControl: control, Version: f.version})
}
