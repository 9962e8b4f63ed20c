package ui

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"regexp"
	"sync"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
)

//go:embed static
var staticFiles embed.FS

// notServedPattern matches comments, indentation, and blanks at braces and semicolons, which
// loadFiles removes. No string in the files may match it.
var notServedPattern = regexp.MustCompile(`(?ms)\s*/\*.*?\*/|^\s*//[^\n]*\n|^[ \t]+| ({) |;? (}) ?|(;) `)

type files map[string]httpserver.File

// loadFiles compresses the files once per process, because tests create many Pages.
var loadFiles = sync.OnceValue(func() files {
	static := files{}
	err := fs.WalkDir(staticFiles, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := staticFiles.ReadFile(name)
		if ext := path.Ext(name); ext == ".css" || ext == ".js" {
			file = notServedPattern.ReplaceAll(file, []byte("$1$2$3"))
		}
		static[name[len("static/"):]] = httpserver.NewFile(file,
			cmp.Or(mime.TypeByExtension(path.Ext(name)), "text/plain; charset=utf-8"))
		return err
	})
	if err != nil {
		panic(err)
	}
	return static
})

// path returns a file's URL with its version, so that browsers may cache the file for a year. An
// unknown file fails the template.
func (f files) path(name string) (string, error) {
	file, ok := f[name]
	if !ok {
		return "", fmt.Errorf("there is no file %q", name)
	}
	return "/static/" + name + "?v=" + file.Version, nil
}

// ServeStatic handles GET /static/…. Browsers revalidate URLs without the current version.
func (p *Pages) ServeStatic(c *fiber.Ctx) error {
	file, ok := p.files[c.Params("*")]
	if !ok {
		return fiber.ErrNotFound
	}
	if c.Query("v") == file.Version {
		file.CacheControl = "public, max-age=31536000, immutable"
	}
	return httpserver.SendFile(c, file)
}
