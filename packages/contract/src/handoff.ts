// A session that moves from one device to another: who may see what of it, and what is carried over. docs/device-protocol.md
import { DEVICE_BROWSERS, DEVICE_SYSTEMS, HANDOFF_BOX_BYTES, PLAN_MAX_STEPS } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { base64url, timeOf } from './device-fields.ts';
import { oneOf } from './one-of.ts';

/** What a host lets a session do; which one is the default depends on the kind of session. */
export const HANDOFF_POLICIES = ['allow', 'review', 'refuse'] as const;
export type HandoffPolicy = (typeof HANDOFF_POLICIES)[number];

/** `unless`: what lifts the bound of `review`, where something does. */
export const SessionHandoff = (fallback: HandoffPolicy, unless = '') =>
  oneOf(
    HANDOFF_POLICIES,
    `Whether the person may continue on another device: \`allow\`; \`review\`, where the recommendation is then at most \`REVIEW\`${unless}; \`refuse\`. Default: \`${fallback}\`.`,
  );

const browser = oneOf(DEVICE_BROWSERS, 'As far as the page knows; an app that replaces the page says `app`.');
const system = oneOf(DEVICE_SYSTEMS);
const number = (description: string) => Type.String({ pattern: '^[0-9]{2}$', description });
const carriedFields = {
  box: base64url(
    HANDOFF_BOX_BYTES,
    'What the finished steps found, encrypted under a key that the service never sees.',
  ),
  steps: Type.Array(Type.Integer({ minimum: 0, maximum: PLAN_MAX_STEPS - 1 }), {
    minItems: 1,
    maxItems: PLAN_MAX_STEPS,
    uniqueItems: true,
    description: 'Positions in the plan of the finished steps whose findings are in the box, in order from the first.',
  }),
};
const boxSignature = base64url(
  64,
  'ECDSA P-256 with SHA-256 by the device’s key, r and s, over `limen-handoff-box-v1`, session id, hash of its plan’s text in hex, the steps joined with commas and the SHA-256 of the box in hex, joined with line feeds.',
);

export const HandoffRequest = Type.Object(
  {
    began: Type.Object(
      { browser, system },
      { description: 'What the next device says about this one, so that the person can tell whether it is theirs.' },
    ),
    carried: Type.Optional(
      Type.Object(
        { ...carriedFields, signature: boxSignature },
        { description: 'What the next device need not do again. Without it, that device does everything.' },
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
        'For the QR code; the one-time code is in its fragment, which no server sees. A device that sealed a box appends a full stop and the key of the box, base64url.',
    }),
    code: base64url(16, 'The same code by itself.'),
    number: number('Show this beside the QR code: the person picks it on the next device.'),
    expiresAt: timeOf('When the code stops working; making a new one ends it sooner.'),
  },
  { $id: 'HandoffReply' },
);
export type HandoffReply = Static<typeof HandoffReply>;

export const HandoffLookRequest = Type.Object(
  { code: base64url(16, 'The one-time code of the handoff.') },
  { $id: 'HandoffLookRequest' },
);
export type HandoffLookRequest = Static<typeof HandoffLookRequest>;

export const HandoffDeclineRequest = Type.Object(
  { code: base64url(16, 'The one-time code of the handoff.') },
  { $id: 'HandoffDeclineRequest' },
);
export type HandoffDeclineRequest = Static<typeof HandoffDeclineRequest>;

export const HandoffLook = Type.Object(
  {
    requester: Type.Union([Type.String(), Type.Null()], { description: 'Who is asking, as in `asks`.' }),
    redirectOrigin: Type.Union([Type.String(), Type.Null()], {
      description:
        'Where the person is sent afterwards: scheme, host and port, or only the scheme for an app; null for nowhere.',
    }),
    began: Type.Object(
      { browser, system, at: timeOf('When the session was opened on its first device.') },
      { description: 'The device that hands the session on, by its own word.' },
    ),
    choices: Type.Array(number('One of the three is the number on the other device.'), {
      minItems: 3,
      maxItems: 3,
      description: 'The same three in the same order for everybody who looks.',
    }),
  },
  { $id: 'HandoffLook', description: 'What a person should know before the session moves to this device.' },
);
export type HandoffLook = Static<typeof HandoffLook>;

export const CarriedBox = Type.Object(
  {
    ...carriedFields,
    signature: boxSignature,
    deviceKey: base64url(65, 'Key of the device that sealed the box, an uncompressed point.'),
    planHash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of that device’s plan, in hex.' }),
  },
  { $id: 'CarriedBox', description: 'What the previous device sealed for this one.' },
);
export type CarriedBox = Static<typeof CarriedBox>;

export const ReturnCodeRequest = Type.Object(
  {
    code: Type.String({
      pattern: '^[0-9]{6}$',
      description: 'The six digits on the other device.',
      examples: ['271828'],
    }),
  },
  { $id: 'ReturnCodeRequest' },
);
export type ReturnCodeRequest = Static<typeof ReturnCodeRequest>;
