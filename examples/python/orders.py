"""An order goes out as a message and comes back as a signed delivery: plain Python, no packages."""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

URL = os.environ["QSTASH_URL"]
TOKEN = os.environ["QSTASH_TOKEN"]
KEYS = [os.environ["QSTASH_CURRENT_SIGNING_KEY"], os.environ["QSTASH_NEXT_SIGNING_KEY"]]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def is_signed_by(key, token, body):
    """Whether the token is of this key, for this body, and not too old."""
    signed, _, given = token.rpartition(".")
    made = base64url(hmac.new(key.encode(), signed.encode(), hashlib.sha256).digest())
    if not hmac.compare_digest(made, given):
        return False
    claims = signed.split(".")[1]
    told = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    return told["exp"] > time.time() and told["body"] == base64url(hashlib.sha256(body).digest())


class Orders(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        token = self.headers.get("Upstash-Signature", "")
        is_good = any(is_signed_by(key, token, body) for key in KEYS)
        if is_good:
            # A delivery may come twice: what it does should be the same the second time.
            print(f"paid order {json.loads(body)['order']}", flush=True)
            self.server.is_paid = True
        self.send_response(200 if is_good else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Orders)
server.is_paid = False
hook = f"http://127.0.0.1:{server.server_port}/orders"
request = urllib.request.Request(
    f"{URL}/v2/publish/{hook}",
    data=json.dumps({"order": 7}).encode(),
    headers={
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Upstash-Retries": "5",
    },
    method="POST",
)
with urllib.request.urlopen(request) as response:
    print(f"published {json.load(response)['messageId']}", flush=True)
while not server.is_paid:
    server.handle_request()
