"""A till in Python's standard library: python3 till.py http://127.0.0.1:8080 30 [POS-2 pos.key]

pos.key is what pairing gave (docs/pairing.md): keyId and key in one line. With it calls are signed, and only signed
answers count.
"""

import base64
import hashlib
import hmac
import http.client
import json
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid


def encode(digest):
    return base64.b64encode(digest).decode()


class Key:
    """Signs calls and checks answers: RFC 9421, with the digests of RFC 9530."""

    def __init__(self, key_id, key):
        self.key_id, self.key = key_id, bytes.fromhex(key)

    def sign(self, lines):
        return ":" + encode(hmac.digest(self.key, "\n".join(lines).encode(), "sha256")) + ":"

    def headers(self, url, body):
        """The headers of a POST."""
        place = urllib.parse.urlsplit(url)
        digest = "sha-256=:" + encode(hashlib.sha256(body).digest()) + ":"
        covered = '("@method" "@authority" "@path" "@query" "content-digest")'
        more = f'created={int(time.time())};nonce="{secrets.token_hex(16)}";keyid="{self.key_id}";tag="poid"'
        lines = [
            '"@method": POST',
            f'"@authority": {place.netloc}',
            f'"@path": {place.path}',
            f'"@query": ?{place.query}',
            f'"content-digest": {digest}',
            f'"@signature-params": {covered};{more}',
        ]
        return {
            "Content-Digest": digest,
            "Signature-Input": f"sig={covered};{more}",
            "Signature": "sig=" + self.sign(lines),
        }

    def is_answer_to(self, call, status, headers, body):
        """Whether the terminal has given this answer to this very call."""
        given = headers.get("Signature-Input", "").removeprefix("sig=")
        lines = [
            f'"@status": {status}',
            '"content-digest": sha-256=:' + encode(hashlib.sha256(body).digest()) + ":",
            '"signature";req;key="sig": ' + call["Signature"].removeprefix("sig="),
            f'"@signature-params": {given}',
        ]
        wanted = "sig=" + self.sign(lines)
        covered = '("@status" "content-digest" "signature";req;key="sig");'
        return given.startswith(covered) and hmac.compare_digest(headers.get("Signature", ""), wanted)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A terminal sends nobody elsewhere: what stands there is no answer to this call."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


class Terminal:
    def __init__(self, url, key=None):
        self.url, self.key = url, key

    def post(self, path, request, seconds):
        """Returns the terminal's answer; None if there is none."""
        url, body = self.url + path, json.dumps(request).encode()
        signed = self.key.headers(url, body) if self.key else {}
        call = urllib.request.Request(url, body, {"Content-Type": "application/json", **signed})
        try:
            with self.open(call, seconds) as answer:
                text = answer.read()
                if self.key and not self.key.is_answer_to(signed, answer.status, answer.headers, text):
                    print("an answer that the terminal has not signed:", answer.status, file=sys.stderr)
                    return None
                told = json.loads(text)
                return told if is_answer_to(request, path, answer.status, told) else None
        except (OSError, ValueError, http.client.HTTPException):
            return None

    @staticmethod
    def open(call, seconds):
        try:
            return opener.open(call, timeout=seconds)
        except urllib.error.HTTPError as answer:
            return answer

    def pay(self, request, hold=300, repeat=20, give_up=120):
        """Returns how the payment ended. None: unknown, do not charge again."""
        begun = time.monotonic()
        answer = self.post("/sp/v1/payment", request, hold)
        if answer:
            return answer if is_known(answer) else self.ask(request, give_up)
        # The answer is lost. The same POST again returns it, and charges nothing; later nobody may stand there any more.
        while answer is None and time.monotonic() - begun < repeat:
            time.sleep(1)
            answer = self.post("/sp/v1/payment", request, hold)
        # A refusal of the repeat tells nothing of what was lost. An outcome has a number of the terminal.
        if answer and "terminalTransactionId" in answer and is_known(answer):
            return answer
        told = self.ask(request, give_up)
        # What was lost may still arrive: that the terminal has not heard of it yet is no outcome.
        return None if told and told["responseResult"] == "NOT_FOUND" else told

    def ask(self, request, give_up):
        """Asks for the outcome, which starts nothing."""
        identity = {key: request[key] for key in ("posId", "messageId")}
        heard = time.monotonic()
        while time.monotonic() - heard < give_up:
            answer = self.post("/sp/v1/enquiry", identity, 5)
            if answer and answer["responseResult"] == "PROCESSING":
                heard = time.monotonic()
            elif answer and is_known(answer):
                return answer
            time.sleep(1)
        return None


def is_answer_to(request, path, status, answer):
    """Whether it is of this message. Only a refusal may lack what the terminal could not read."""
    if not isinstance(answer, dict) or not isinstance(answer.get("responseResult"), str):
        return False
    if answer["responseResult"] == "SUCCESS" and status != 200:
        return False
    given = request if status >= 400 and path != "/sp/v1/enquiry" else {}
    return all(answer.get(name, given.get(name)) == request[name] for name in ("posId", "messageId"))


def is_known(answer):
    if answer["responseResult"] == "PROCESSING":
        return False
    return answer["responseResult"] == "SUCCESS" or answer.get("financialImpact") in ("NONE", "REVERSED")


if __name__ == "__main__":
    url, amount, pos_id, *key_file = [*sys.argv[1:], *["http://127.0.0.1:8080", "30", "POS-2"][len(sys.argv) - 1 :]]
    key = None
    if key_file:
        with open(key_file[0], encoding="ascii") as file:
            key = Key(*file.read().split())
    # A till writes the request to its disk before it sends it.
    told = Terminal(url, key).pay(
        {
            "posId": pos_id,
            "messageId": str(uuid.uuid4()),
            "transactionType": "SALE",
            "requestAmount": float(amount),
            "currency": "HKD",
        }
    )
    if told is None:
        sys.exit("unknown, do not charge again: ask the terminal, or call the operator")
    if told["responseResult"] == "SUCCESS":
        print("paid:", told["terminalTransactionId"])
        result = told.get("transactionResult") or told.get("transactionPrintData") or {}
        if result.get("refundedAmount"):
            print("refunded of it since:", result["refundedAmount"])
    else:
        print("not paid:", told.get("reason", "") + ":", told.get("text", {}).get("en", ""))
