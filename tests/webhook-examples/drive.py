import base64
import sys

sys.path.insert(0, "examples/webhooks")
from verify import is_genuine

for line in sys.stdin.read().rstrip("\n").split("\n"):
    keys, timestamp, signature, now, body = line.split("\t")
    genuine = is_genuine(base64.b64decode(body), timestamp or None, signature or None, keys.split(","), int(now))
    print("true" if genuine else "false")
