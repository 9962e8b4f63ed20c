package account

import (
	"fmt"
	"strings"
)

// Common browsers and systems by a part of the user agent. The order matters: many user agents
// contain the names of others.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"},
		{"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "Mac"}, {"Linux", "Linux"}}
)

// browserName returns a name such as "Firefox on Windows", by which people recognise their own
// browser.
func browserName(userAgent string) string {
	browser := firstMatch(browsers, userAgent)
	system := firstMatch(systems, userAgent)
	switch {
	case browser == "":
		return "Unknown browser"
	case system == "":
		return browser
	}
	return fmt.Sprintf("%s on %s", browser, system)
}

func firstMatch(names [][2]string, userAgent string) string {
	for _, n := range names {
		if strings.Contains(userAgent, n[0]) {
			return n[1]
		}
	}
	return ""
}
