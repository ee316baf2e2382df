"""A till in Python's standard library: python3 till.py http://127.0.0.1:8080 30"""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request
import uuid


def post(url, path, body, seconds):
    """Returns the terminal's answer; None if there is none."""
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)
    except (OSError, ValueError, http.client.HTTPException):
        return None


def pay(url, request, hold=300, give_up=600):
    """The same POST again until there is an answer: it never charges twice. None: unknown, do not charge again."""
    until = time.monotonic() + give_up
    while time.monotonic() < until:
        answer = post(url, "/sp/v1/payment", request, hold)
        if answer and answer["responseResult"] == "SUCCESS":
            return answer
        if answer and answer.get("financialImpact") in ("NONE", "REVERSED"):
            return answer
        time.sleep(1)
    return None


if __name__ == "__main__":
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
    amount = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    # A till writes the request to its disk before it sends it.
    told = pay(
        url,
        {
            "posId": "POS-2",
            "messageId": str(uuid.uuid4()),
            "transactionType": "SALE",
            "requestAmount": amount,
            "currency": "HKD",
        },
    )
    if told is None:
        sys.exit("unknown, do not charge again: ask the terminal, or call the operator")
    if told["responseResult"] == "SUCCESS":
        print("paid:", told["terminalTransactionId"])
    else:
        print("not paid:", told["reason"] + ":", told["text"]["en"])
