import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def is_genuine(raw_body: bytes, timestamp, signature, api_keys, now=None) -> bool:
    """Return whether a webhook was signed with one of your API keys in the last five minutes.

    Pass `raw_body` as received, before any JSON parser. Pass the headers `X-Service-Timestamp` and
    `X-Service-Signature`, and both API keys while you replace one by another.
    In Flask: `request.get_data()` and `request.headers.get("X-Service-Timestamp")`.
    In Django: `request.body` and `request.headers.get("X-Service-Timestamp")`.
    """
    if not re.fullmatch(r"[0-9]{1,12}", timestamp or ""):
        return False
    if not re.fullmatch(r"sha256=[0-9a-f]{64}", signature or ""):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = timestamp.encode() + b"." + raw_body

    def is_signed_with(api_key: str) -> bool:
        expected = "sha256=" + hmac.new(api_key.encode(), signed, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected, signature)

    return any(is_signed_with(api_key) for api_key in api_keys)
