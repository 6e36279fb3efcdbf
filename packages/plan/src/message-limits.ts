// How long the messages of a device are, and how often each may be sent.

/** Every sealed answer has exactly this many bytes, whatever is in it. */
export const ENVELOPE_BYTES = 2_048;
/** What HPKE adds to what it seals: an uncompressed point of P-256 and a tag. */
export const SEALED_EXTRA_BYTES = 65 + 16;

/** Every box of a handoff has exactly this many bytes, whatever is in it. */
export const HANDOFF_BOX_BYTES = 4_096;
/** How often the code that goes back may be typed. */
export const RETURN_CODE_TRIES = 3;

/** Of an encrypted face, header included. */
export const TOKEN_BYTES = 13_352;
/** An uncompressed P-256 point; all zeros where the page wants no device of the person kept. */
export const PERSON_DEVICE_KEY_BYTES = 65;
/** What `token` sends: a version byte, the key of the person's device, the encrypted face. */
export const TOKEN_CALL_VERSION = 1;
export const TOKEN_CALL_BYTES = 1 + PERSON_DEVICE_KEY_BYTES + TOKEN_BYTES;
/**
 * Version 2 has, behind the same, what the device says of its camera: `CaptureFacts` as JSON, two bytes of length before it
 * and zeros behind it, sealed like the answer under the label `limen-capture-v1`.
 */
export const TOKEN_CALL_WITH_CAPTURE_VERSION = 2;
export const CAPTURE_PLAINTEXT_BYTES = 128;
export const CAPTURE_ENVELOPE_BYTES = CAPTURE_PLAINTEXT_BYTES + SEALED_EXTRA_BYTES;
export const TOKEN_CALL_WITH_CAPTURE_BYTES = TOKEN_CALL_BYTES + CAPTURE_ENVELOPE_BYTES;

/** How often a face may be shown to the service in one session, and a passkey. */
export const TOKEN_TRIES = 3;
export const PASSKEY_TRIES = 3;
/** How often a selfie may be sent in one session; the last one counts. */
export const SELFIE_SENDS = 3;
/** The largest JPEG of a selfie. */
export const SELFIE_MAX_BYTES = 200 * 1024;
