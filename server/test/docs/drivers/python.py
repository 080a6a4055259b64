import base64
import json
import sys

from webhooks import verify_service_signature, verify_standard_webhook


def judge(case):
    body = base64.b64decode(case["body_base64"])
    headers, secret, now = case["headers"], case["secret"], case["now"]
    if case["scheme"] == "service":
        return verify_service_signature(body, headers["service-signature"], secret, now)
    return verify_standard_webhook(body, headers, secret, now)


print(json.dumps([judge(case) for case in json.load(sys.stdin)]))
