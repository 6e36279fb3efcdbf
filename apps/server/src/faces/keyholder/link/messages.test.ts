// Lists every field between service and key-holder, so that a new one must be added by hand.
import { describe, expect, it } from 'vitest';
import { CALLS, type CallName, isAsk, isReply } from './messages.ts';

const id = 'A'.repeat(22);

describe('a reply of the key-holder', () => {
  it('carries only these fields and blobs, so neither a secret key nor a score', () => {
    const carried = Object.entries(CALLS).map(([call, { reply, replyBlobs }]) => [
      call,
      Object.keys(reply.properties),
      replyBlobs[1],
    ]);
    expect(carried).toEqual([
      ['hello', [], 1],
      ['openChallenge', ['challenge', 'expiresAt'], 3], // public key, signature, identity's public key
      ['begin', ['shape'], 0], // ok or malformed
      ['rows', [], 0],
      ['fold', [], 1], // an encrypted polynomial
      ['blocks', [], 0],
      ['finish', ['best'], 0], // a position or null
      ['adopt', ['epoch'], 1], // encrypted polynomial of a body, and random bytes
      ['settle', ['settlement'], 0],
      ['rotate', ['from', 'to'], 0],
      ['renew', [], 256], // up to 256 renewed bodies
      ['pack', ['unbalanced'], 32], // the unbalanced token; blocks: encrypted polynomial and random bytes
      ['retire', [], 0],
    ]);
  });

  it.each<[CallName, Record<string, unknown>]>([
    ['finish', { best: 0, score: 0.9 }],
    ['finish', { best: 0.9 }],
    ['finish', { best: -1 }],
    ['rows', { scores: [] }],
    ['blocks', { scores: [] }],
    ['pack', { unbalanced: 0.1 }],
    ['begin', { shape: 'norm 0.93' }],
    ['adopt', { epoch: id, secret: 'x' }],
  ])('to %s is refused as %j', (call, reply) => {
    const blobs = Array.from({ length: CALLS[call].replyBlobs[0] }, () => new Uint8Array(1));
    expect(isReply(call, reply, blobs)).toBe(false);
  });
});

describe('a call', () => {
  const begin = { challenge: id, about: { modelVersion: 'LIMEN_TEST' } };
  it('is accepted with valid fields', () => {
    expect(isAsk('begin', begin, [new Uint8Array(1)])).toBe(true);
    const facts = { sensor: 'front', lux: 120, mirrored: true };
    expect(isAsk('begin', { ...begin, about: { ...begin.about, facts } }, [new Uint8Array(1)])).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a challenge of another form', { ...begin, challenge: '../secret' }],
    ['a field too many', { ...begin, threshold: 0 }],
    ['a fact that is an object', { ...begin, about: { ...begin.about, facts: { a: {} } } }],
    ['a fact with an endless name', { ...begin, about: { ...begin.about, facts: { ['x'.repeat(33)]: 1 } } }],
    ['facts without end', { ...begin, about: { ...begin.about, facts: { a: 'x'.repeat(201) } } }],
    [
      'facts without number',
      {
        ...begin,
        about: { ...begin.about, facts: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 1])) },
      },
    ],
    ['an epoch of the service’s choice', { ...begin, about: { ...begin.about, epoch: id } }],
    ['null', null],
    ['a text', 'begin'],
  ])('with %s is refused', (_, ask) => {
    expect(isAsk('begin', ask, [new Uint8Array(1)])).toBe(false);
  });

  it('with too many or wrong blobs is refused', () => {
    expect(isAsk('finish', { challenge: id }, [new Uint8Array(1)])).toBe(false);
    expect(isAsk('rows', { challenge: id, epoch: id, count: 1 }, ['text'])).toBe(false);
    expect(isAsk('rows', { challenge: id, epoch: id, count: 1 }, [])).toBe(false);
  });
});
