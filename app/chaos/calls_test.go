package chaos

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"

	"dg/platform/testkit/fixtures"
)

// reads asks for what is known.
func (c *caller) reads(id, path, entry string) outcome {
	got, body := c.send(id, http.MethodGet, path, http.StatusOK, entry, nil, c.credential(path)...)
	if got == gotRight && !bytes.Equal(body, c.known[path]) {
		return c.isWrong("%s: 200 with %d bytes, not %d", id, len(body), len(c.known[path]))
	}
	return got
}

func (c *caller) signsIn(id string) outcome {
	form := url.Values{
		"email":    {c.emails[int(c.used.Add(1))%len(c.emails)]},
		"password": {fixtures.Password},
	}
	got, _ := c.send(id, http.MethodPost, "/sign-in", http.StatusSeeOther, "sign_in", form)
	return got
}

// revokes ends a key, which is of no use from the answer on.
func (c *caller) revokes(id string) outcome {
	var token string
	select {
	case token = <-c.spare:
	default:
		return gotRight // none is left
	}
	path := "/o/" + c.slug + "/settings/api-keys/" + token[len("dg_live_"):len("dg_live_")+22] +
		"/revoke"
	got, _ := c.send(id, http.MethodPost, path, http.StatusSeeOther, "api_key.revoked",
		url.Values{},
		"Cookie", c.cookie)
	if got == gotRight {
		c.send(id+"-used", http.MethodGet, "/api/v1/forks", http.StatusUnauthorized,
			"api_key.refused", nil, "Authorization", "Bearer "+token)
	}
	return got
}

// isRefused uses a key without the scope, or with a wrong secret.
func (c *caller) isRefused(id string) outcome {
	if rand.IntN(2) == 0 {
		got, _ := c.send(id, http.MethodGet, "/api/v1/forks", http.StatusForbidden,
			"api_key.refused", nil, "Authorization", "Bearer "+c.narrow)
		return got
	}
	token := c.keys[int(c.used.Add(1))%len(c.keys)]
	wrong := "Bearer " + token[:len(token)-8] + "00000000"
	got, _ := c.send(id, http.MethodGet, "/api/v1/forks", http.StatusUnauthorized,
		"api_key.refused",
		nil, "Authorization", wrong)
	return got
}

// send asks and judges the status: the one of a right answer, which has its entry in the audit log,
// or a visible failure.
func (c *caller) send(
	id, method, path string, status int, entry string, form url.Values, headers ...string,
) (outcome, []byte) {
	response, err := c.http.Do(newRequest(c.base+path, form, append(headers, "X-Request-Id", id)))
	if err != nil {
		return gotBroken, nil
	}
	defer response.Body.Close()
	if response.StatusCode == status && entry != "" {
		c.o.saw(id, entry)
	}
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return gotBroken, nil
	case response.StatusCode == status:
		return gotRight, body
	case response.StatusCode == http.StatusTooManyRequests:
		return got429, nil
	case response.StatusCode == http.StatusServiceUnavailable &&
		response.Header.Get("Retry-After") != "":
		return got503, nil
	}
	return c.isWrong("%s: %d to %s %s: %.300s", id, response.StatusCode, method, path, body), nil
}
