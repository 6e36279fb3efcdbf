import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a webhook was signed with one of your API keys in the last five minutes.
 *
 * Pass `rawBody` as received, as a Buffer or string, before any JSON parser. Pass the headers
 * `X-Service-Timestamp` and `X-Service-Signature`, and both API keys while you replace one by another.
 * In Express: `express.raw({ type: 'application/json' })`, `request.get('x-service-timestamp')`.
 *
 * @param {string | Uint8Array} rawBody
 * @param {string | undefined} timestamp
 * @param {string | undefined} signature
 * @param {readonly string[]} apiKeys
 */
export function isGenuine(rawBody, timestamp, signature, apiKeys, now = Date.now() / 1000) {
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (typeof signature !== 'string' || !/^sha256=[0-9a-f]{64}$/.test(signature)) return false;
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  // Express leaves another value in `request.body` if the request had none.
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) return false;
  const received = Buffer.from(signature.slice('sha256='.length), 'hex');
  const isSignedWith = (apiKey) => {
    const expected = createHmac('sha256', apiKey).update(`${timestamp}.`).update(rawBody).digest();
    return timingSafeEqual(expected, received);
  };
  return apiKeys.some(isSignedWith);
}
