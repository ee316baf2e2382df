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


def pay(url, request, hold=300, repeat=20, give_up=120):
    """Returns how the payment ended. None: unknown, do not charge again."""
    begun = time.monotonic()
    answer = post(url, "/sp/v1/payment", request, hold)
    if answer:
        return answer if is_known(answer) else ask(url, request, give_up)
    # The answer is lost. The same POST again returns it, and charges nothing; later nobody may stand there any more.
    while answer is None and time.monotonic() - begun < repeat:
        time.sleep(1)
        answer = post(url, "/sp/v1/payment", request, hold)
    # A refusal of the repeat tells nothing of what was lost. An outcome has a number of the terminal.
    if answer and "terminalTransactionId" in answer and is_known(answer):
        return answer
    return ask(url, request, give_up)


def ask(url, request, give_up):
    """Asks for the outcome, which starts nothing."""
    identity = {key: request[key] for key in ("posId", "messageId")}
    heard = time.monotonic()
    while time.monotonic() - heard < give_up:
        answer = post(url, "/sp/v1/enquiry", identity, 5)
        if answer and answer["responseResult"] == "PROCESSING":
            heard = time.monotonic()
        elif answer and is_known(answer):
            return answer
        time.sleep(1)
    return None


def is_known(answer):
    return answer["responseResult"] == "SUCCESS" or answer.get("financialImpact") in ("NONE", "REVERSED")


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
