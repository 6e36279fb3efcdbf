// Envelopes open only for their key, session and plan; padding.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { padText, sealAnswer } from '#testing/device.ts';
import { makeAnswerKeys, openEnvelope, unpad } from './envelope.ts';

const sessionId = '5198b3aa-8308-464b-93bf-c4755db792c4';
const keys = makeAnswerKeys();
const planText = JSON.stringify({ sessionId, publicKey: keys.publicKey, nonce: 'n' });
const place = { keys, sessionId, planText };

describe('an envelope', () => {
  it('has 2,048 bytes and opens to the sealed content', async () => {
    const envelope = await sealAnswer(planText, { found: 'something' });
    expect(envelope.length).toBe(2_048);
    const padded = openEnvelope({ ...place, envelope });
    expect(padded && unpad(padded)?.toString()).toBe('{"found":"something"}');
  });

  it('does not open with another key, session or plan', async () => {
    const envelope = await sealAnswer(planText, {});
    const others = [
      { keys: makeAnswerKeys() },
      { sessionId: sessionId.replace('5', '6') },
      { planText: `${planText} ` },
    ];
    for (const other of others) expect(openEnvelope({ ...place, envelope, ...other })).toBe(undefined);
  });

  it('does not open after a bit flip or with another length', async () => {
    const envelope = await sealAnswer(planText, {});
    for (const at of [0, 1, 64, 65, 1_000, 2_047]) {
      const changed = Buffer.from(envelope);
      changed[at] = changed[at]! ^ 1;
      expect(openEnvelope({ ...place, envelope: changed })).toBe(undefined);
    }
    expect(openEnvelope({ ...place, envelope: envelope.subarray(1) })).toBe(undefined);
    expect(openEnvelope({ ...place, envelope: Buffer.concat([envelope, Buffer.of(0)]) })).toBe(undefined);
    expect(openEnvelope({ ...place, envelope: Buffer.alloc(2_048) })).toBe(undefined);
  });
});

describe('padding', () => {
  it('is removable from any text that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(unpad(padText(text))?.toString()).toBe(text);
      }),
    );
  });

  it('consists of zeros, and the length is encrypted', () => {
    expect(unpad(padText('{}', 1))).toBe(undefined);
    const long = padText('{}');
    long.writeUInt16BE(1_966, 0);
    expect(unpad(long)).toBe(undefined);
    expect(unpad(Buffer.of(0))).toBe(undefined);
    expect(unpad(padText(''))?.length).toBe(0);
  });
});
