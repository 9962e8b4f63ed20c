package web

import "strings"

// The browsers and systems that most people have, in the order in which they are told apart: many name others as well.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "Mac"}, {"Linux", "Linux"}}
)

// browserName is a user agent in words, such as "Firefox on Windows": enough to recognise one's own.
func browserName(userAgent string) string {
	browser, system := named(browsers, userAgent), named(systems, userAgent)
	switch {
	case browser == "":
		return "Another program"
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func named(names [][2]string, in string) string {
	for _, n := range names {
		if strings.Contains(in, n[0]) {
			return n[1]
		}
	}
	return ""
}
