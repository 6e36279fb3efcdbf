// Sizes of device messages, and how often each may be sent.

/** Fixed size of a sealed answer. */
export const ENVELOPE_BYTES = 2_048;
/** Overhead of HPKE: an uncompressed P-256 point and a tag. */
export const SEALED_EXTRA_BYTES = 65 + 16;

/** Fixed size of a handoff box. */
export const HANDOFF_BOX_BYTES = 4_096;
export const RETURN_CODE_TRIES = 3;

/** Size of an encrypted face with its header. */
export const TOKEN_BYTES = 13_352;
/** An uncompressed P-256 point; all zeros if no device of the person should be stored. */
export const PERSON_DEVICE_KEY_BYTES = 65;
/** Payload of `token`: version byte, device key, encrypted face. */
export const TOKEN_CALL_VERSION = 1;
export const TOKEN_CALL_BYTES = 1 + PERSON_DEVICE_KEY_BYTES + TOKEN_BYTES;
/**
 * Version 2 appends the device's `CaptureFacts` as JSON with a 2-byte length prefix and zero
 * padding, sealed like the answer under the label `limen-capture-v1`.
 */
export const TOKEN_CALL_WITH_CAPTURE_VERSION = 2;
export const CAPTURE_PLAINTEXT_BYTES = 128;
export const CAPTURE_ENVELOPE_BYTES = CAPTURE_PLAINTEXT_BYTES + SEALED_EXTRA_BYTES;
export const TOKEN_CALL_WITH_CAPTURE_BYTES = TOKEN_CALL_BYTES + CAPTURE_ENVELOPE_BYTES;

/** Attempts with a face and with a passkey per session. */
export const TOKEN_TRIES = 3;
export const PASSKEY_TRIES = 3;
/** Maximum per session; the last one counts. */
export const SELFIE_SENDS = 3;
/** Maximum size of a selfie's JPEG. */
export const SELFIE_MAX_BYTES = 200 * 1024;
