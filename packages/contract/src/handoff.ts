// Handoff of a session from one device to another: who sees what, and what is carried over. See
// docs/device-protocol.md.
import { DEVICE_BROWSERS, DEVICE_SYSTEMS, HANDOFF_BOX_BYTES, PLAN_MAX_STEPS } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { base64url, timestampSchema } from './device-fields.ts';
import { oneOf } from './one-of.ts';

/** Handoff policies of a host. The default depends on the kind of session. */
export const HANDOFF_POLICIES = ['allow', 'review', 'refuse'] as const;
export type HandoffPolicy = (typeof HANDOFF_POLICIES)[number];

/** Returns the schema of the handoff policy. `unless` lifts the limit of `review`. */
export const SessionHandoff = (fallback: HandoffPolicy, unless = '') =>
  oneOf(
    HANDOFF_POLICIES,
    `Whether the person may continue on another device. \`allow\`: yes. \`review\`: yes, but the recommendation is then at most \`REVIEW\`${unless}. \`refuse\`: no. Default: \`${fallback}\`.`,
  );

const browser = oneOf(
  DEVICE_BROWSERS,
  'Browser, as far as the page can detect it. An app in place of the page sends `app`.',
);
const system = oneOf(DEVICE_SYSTEMS);
const number = (description: string) => Type.String({ pattern: '^[0-9]{2}$', description });
const carriedFields = {
  box: base64url(
    HANDOFF_BOX_BYTES,
    'Findings of the completed steps, encrypted with a key that the service never sees.',
  ),
  steps: Type.Array(Type.Integer({ minimum: 0, maximum: PLAN_MAX_STEPS - 1 }), {
    minItems: 1,
    maxItems: PLAN_MAX_STEPS,
    uniqueItems: true,
    description: 'Positions in the plan of the completed steps whose findings are in the box, in order from the first.',
  }),
};
const boxSignature = base64url(
  64,
  'ECDSA P-256 signature (SHA-256, r and s) by the device’s key. Signed text: `limen-handoff-box-v1`, session id, hash of the plan’s text in hex, the steps joined with commas, and the SHA-256 of the box in hex, joined with line feeds.',
);

export const HandoffRequest = Type.Object(
  {
    began: Type.Object(
      { browser, system },
      { description: 'Description of this device that the next device shows, so that the person can recognize it.' },
    ),
    carried: Type.Optional(
      Type.Object(
        { ...carriedFields, signature: boxSignature },
        { description: 'Findings that the next device need not repeat. If omitted, that device repeats every step.' },
      ),
    ),
  },
  { $id: 'HandoffRequest' },
);
export type HandoffRequest = Static<typeof HandoffRequest>;

export const HandoffReply = Type.Object(
  {
    url: Type.String({
      description:
        'URL for the QR code. The one-time code is in its fragment, which no server sees. A device that sealed a box appends a full stop and the box’s key, base64url.',
    }),
    code: base64url(16, 'The one-time code without the URL.'),
    number: number('Number to show next to the QR code. The person picks it on the next device.'),
    expiresAt: timestampSchema('When the code expires. Requesting a new code voids it earlier.'),
  },
  { $id: 'HandoffReply' },
);
export type HandoffReply = Static<typeof HandoffReply>;

export const HandoffLookRequest = Type.Object(
  { code: base64url(16, 'One-time code of the handoff.') },
  { $id: 'HandoffLookRequest' },
);
export type HandoffLookRequest = Static<typeof HandoffLookRequest>;

export const HandoffDeclineRequest = Type.Object(
  { code: base64url(16, 'One-time code of the handoff.') },
  { $id: 'HandoffDeclineRequest' },
);
export type HandoffDeclineRequest = Static<typeof HandoffDeclineRequest>;

export const HandoffLook = Type.Object(
  {
    requester: Type.Union([Type.String(), Type.Null()], {
      description: 'Label of the requesting API key, as in `asks`.',
    }),
    redirectOrigin: Type.Union([Type.String(), Type.Null()], {
      description:
        'Target of the final redirect: scheme, host and port, or only the scheme for an app. Null if there is no redirect.',
    }),
    began: Type.Object(
      { browser, system, at: timestampSchema('When the session was opened on its first device.') },
      { description: 'The device that hands over the session, as described by itself.' },
    ),
    choices: Type.Array(number('One of the three choices is the number on the other device.'), {
      minItems: 3,
      maxItems: 3,
      description: 'Three numbers. Every viewer gets the same ones in the same order.',
    }),
  },
  { $id: 'HandoffLook', description: 'Facts to show to the person before the session moves to this device.' },
);
export type HandoffLook = Static<typeof HandoffLook>;

export const CarriedBox = Type.Object(
  {
    ...carriedFields,
    signature: boxSignature,
    deviceKey: base64url(65, 'Public key of the device that sealed the box, an uncompressed point.'),
    planHash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of that device’s plan, in hex.' }),
  },
  { $id: 'CarriedBox', description: 'Box that the previous device sealed for this one.' },
);
export type CarriedBox = Static<typeof CarriedBox>;

export const ReturnCodeRequest = Type.Object(
  {
    code: Type.String({
      pattern: '^[0-9]{6}$',
      description: 'The six digits shown on the other device.',
      examples: ['271828'],
    }),
  },
  { $id: 'ReturnCodeRequest' },
);
export type ReturnCodeRequest = Static<typeof ReturnCodeRequest>;
