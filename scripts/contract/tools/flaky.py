# A service that comes back: it answers the first requests with 503 and Retry-After, and passes the others on. run.sh starts it:
# python3 flaky.py PORT BASE REQUESTS
import http.server
import sys
import urllib.error
import urllib.request

port, base, refused = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global refused
        if refused > 0:
            refused -= 1
            self.send_response(503)
            self.send_header("Retry-After", "1")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        headers = {name: self.headers[name] for name in ("Authorization", "Accept-Encoding") if name in self.headers}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(base + self.path, headers=headers, method=self.command))
        except urllib.error.HTTPError as error:
            answer = error
        body = answer.read()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
