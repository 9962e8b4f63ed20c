package tb

import "net/url"

// Changed returns a database's URL after a change, such as of the role.
func Changed(connection string, change func(*url.URL)) string {
	u, err := url.Parse(connection)
	if err != nil {
		panic(err) // a test's own URL
	}
	change(u)
	return u.String()
}

// AsRole returns the URL of the database for another role.
func AsRole(connection, role string) string {
	return Changed(connection, func(u *url.URL) { u.User = url.User(role) })
}

// OnSocket returns the URL of the database by the socket in another folder.
func OnSocket(connection, folder, port string) string {
	return Changed(connection, func(u *url.URL) {
		query := u.Query()
		query.Set("host", folder)
		query.Set("port", port)
		u.Host = ""
		u.RawQuery = query.Encode()
	})
}
