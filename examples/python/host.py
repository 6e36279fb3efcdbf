"""A host application with nothing but Python's standard library: makes a check, and checks the webhook's signature by hand."""

import hashlib
import hmac
import json
import os
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LIMEN_URL = os.environ["LIMEN_URL"].rstrip("/")
API_KEY = os.environ["LIMEN_API_KEY"]
PORT = int(os.environ.get("PORT", "3001"))
HOST_URL = os.environ.get("HOST_URL", f"http://localhost:{PORT}")
# Older webhooks may be replayed recordings.
MAX_AGE_SECONDS = 300
MAX_BODY_BYTES = 1_000_000

TEXTS = {
    "admit": "Thank you. Your wine is on its way.",
    "refuse": "Sorry, we cannot sell you this wine.",
    "not_completed": "Your age could not be checked. Please try again.",
    "wait": "The check is not over yet. Load this page again in a moment.",
    "in_review": "A person has to look at your check first. We keep your order until then.",
}
NOT_UNDERSTOOD = ("refuse", "not_understood")
REVIEWED = {"ALLOW": ("admit", "review_allowed"), "BLOCK": ("refuse", "review_blocked")}
# Orders by id with their decision, and with their session once a webhook has named it. A real shop has a database.
orders = {}


def decide(outcome):
    """Returns what to do with an age check and why, as `decide` of the SDK does. An unknown form never admits."""
    flow = outcome.get("flowStatus")
    recommendation = outcome.get("riskEvaluation", {}).get("recommendation")
    reviewed = REVIEWED.get(outcome["review"].get("decision"), NOT_UNDERSTOOD) if "review" in outcome else None
    if outcome.get("event") == "review.decided":
        return reviewed or NOT_UNDERSTOOD
    if "sessionStatus" in outcome and flow is None:
        return "wait", "not_ended"
    if flow not in ("COMPLETED", "CANCELLED", "EXPIRED"):
        return NOT_UNDERSTOOD
    if recommendation == "BLOCK":
        return "refuse", "blocked"
    if flow != "COMPLETED":
        return "refuse", "not_completed"
    if recommendation == "REVIEW":
        return reviewed or ("wait", "in_review")
    is_old_enough = outcome.get("sessionStatus") in ("AGE_AT_THRESHOLD", "AGE_ABOVE_THRESHOLD")
    return ("admit", "allowed") if recommendation == "ALLOW" and is_old_enough else NOT_UNDERSTOOD


def find_order(outcome):
    """Returns the order that a webhook is about. The end of a session repeats `metadata`; a review names the session only."""
    if outcome.get("event") == "review.decided":
        waiting = [order for order in list(orders.values()) if order["session"] == outcome["sessionId"]]
        return waiting[0] if waiting else None
    return orders.get(outcome.get("metadata", {}).get("order"))


def create_session(order):
    """Asks the service for a check and returns the address to send the person to."""
    wanted = {
        "ageThreshold": 18,
        "enableDesktop": True,
        "metadata": {"order": order},
        "callback": {"url": f"{HOST_URL}/webhook"},
        "redirectUrl": f"{HOST_URL}/back?order={order}",
    }
    headers = {"content-type": "application/json", "x-api-key": API_KEY}
    request = urllib.request.Request(f"{LIMEN_URL}/session", json.dumps(wanted).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)["launchUrl"]


def is_genuine(body, headers):
    """Whether the service sent it, and just now. `body` is the bytes as they came."""
    timestamp = headers.get("x-service-timestamp", "")
    if not timestamp.isascii() or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    signed = timestamp.encode() + b"." + body
    wanted = "sha256=" + hmac.new(API_KEY.encode(), signed, hashlib.sha256).hexdigest()
    # Compares in constant time.
    return hmac.compare_digest(wanted.encode(), headers.get("x-service-signature", "").encode())


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        address = urlsplit(self.path)
        if address.path == "/":
            form = '<form method="post" action="/check"><button>Buy, and show my age</button></form>'
            self.show("A bottle of wine", form)
        elif address.path == "/back":
            # Coming back says nothing about the outcome; the webhook does.
            order = parse_qs(address.query).get("order", [""])[0]
            if order not in orders:
                return self.show("Your order", "<p>There is no such order.</p>")
            action, reason = orders[order]["decision"]
            self.show("Your order", f"<p>{TEXTS.get(reason, TEXTS[action])}</p>")
        else:
            self.send_error(404)

    def do_POST(self):
        if self.path == "/check":
            order = str(uuid.uuid4())
            launch_url = create_session(order)
            orders[order] = {"session": None, "decision": ("wait", "not_ended")}
            self.send_response(303)
            self.send_header("location", launch_url)
            self.end_headers()
        elif self.path == "/webhook":
            self.take_webhook()
        else:
            self.send_error(404)

    def take_webhook(self):
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdigit():
            return self.send_error(411)
        if int(length) > MAX_BODY_BYTES:
            return self.send_error(413)
        body = self.rfile.read(int(length))
        if not is_genuine(body, self.headers):
            return self.send_error(401)
        outcome = json.loads(body)
        order = find_order(outcome)
        # A review can overtake its session's end. After a 404 the service sends it again.
        if order is None:
            return self.send_error(404)
        # Webhooks may be repeated, so a settled order stays unchanged.
        if order["decision"][0] == "wait":
            order.update(session=outcome["sessionId"], decision=decide(outcome))
        self.send_response(204)
        self.end_headers()

    def show(self, heading, body):
        page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{heading}</title><h1>{heading}</h1>{body}</html>'
        content = page.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Addresses have the order in them: they are not logged."""


if __name__ == "__main__":
    print(f"The shop is at {HOST_URL}", flush=True)
    ThreadingHTTPServer(("", PORT), Shop).serve_forever()
