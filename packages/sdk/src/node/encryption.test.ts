// The published test vectors, checked with the SDK, with node:crypto and against the documentation,
// and invalid texts.
import { execFileSync, spawnSync } from 'node:child_process';
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { createNodeCipher, NodeCipherError, type NodeField } from '../index.ts';
import { createCipherWithNonces } from './encryption.ts';

interface Vectors {
  opens: { name: string; apiKey: string; nonce: string; field: NodeField; plaintext: string; text: string }[];
  refused: { name: string; apiKey: string; field: NodeField; text: string }[];
}

const VECTORS_FILE = resolve(import.meta.dirname, '../../testing/node-encryption-vectors.json');
const DOCUMENT = resolve(import.meta.dirname, '../../../../docs/node.md');
const { opens, refused } = JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as Vectors;
const API_KEY = opens[0]!.apiKey;

it('has vectors of both kinds', () => {
  expect(opens.length).toBeGreaterThanOrEqual(6);
  expect(refused.length).toBeGreaterThanOrEqual(5);
});

describe('the SDK', () => {
  it.each(opens)('seals and opens $name', async ({ apiKey, nonce, field, plaintext, text }) => {
    const fixed = createCipherWithNonces(apiKey, () => Uint8Array.from(Buffer.from(nonce, 'hex')));
    expect(await fixed.encrypt(field, plaintext)).toBe(text);
    expect(await createNodeCipher(apiKey).decrypt(field, text)).toBe(plaintext);
  });

  it.each(refused)('does not open $name', async ({ apiKey, field, text }) => {
    const error = await rejectionOf(createNodeCipher(apiKey).decrypt(field, text));
    expect(error).toBeInstanceOf(NodeCipherError);
    if (text !== '') expect((error as Error).message).not.toContain(text);
  });

  it.each([
    ['sealed for another field', 'does_not_open', /as guid: it was sealed with another API key or for another field/],
    ['the last byte missing', 'does_not_open', /does not open/],
    ['version byte 2, otherwise the same', 'unsupported_version', /does not have encryption version 1/],
    ['no room for a tag', 'malformed', /at least 29 bytes/],
    ['padded base64', 'malformed', /base64url without padding/],
    ['empty', 'malformed', /at least 29 bytes/],
  ])('reports the reason: %s', async (name, code, message) => {
    const { apiKey, field, text } = refused.find((vector) => vector.name === name)!;
    const error = await rejectionOf(createNodeCipher(apiKey).decrypt(field, text));
    expect(error).toMatchObject({ name: 'NodeCipherError', code, message: expect.stringMatching(message) });
  });
});

describe('node:crypto alone', () => {
  it.each(opens)('seals and opens $name', ({ apiKey, nonce, field, plaintext, text }) => {
    expect(sealPlainly(apiKey, Buffer.from(nonce, 'hex'), field, plaintext)).toBe(text);
    expect(openPlainly(apiKey, field, text)).toBe(plaintext);
  });

  it.each(refused)('does not open $name', ({ apiKey, field, text }) => {
    expect(() => openPlainly(apiKey, field, text)).toThrow();
  });
});

describe('the documentation', () => {
  const text = readFileSync(DOCUMENT, 'utf8');

  it('links to these vectors', () => {
    expect(text).toContain(relative(dirname(DOCUMENT), VECTORS_FILE));
  });

  it.runIf(hasPython('cryptography'))('shows a Python program that opens and seals every vector', () => {
    const [, program] = /^```python\n(.*?)^```$/ms.exec(text)!;
    const check = `
import json, sys
vectors = json.load(open(sys.argv[1]))
for v in vectors["opens"]:
    assert open_sealed(v["apiKey"], v["field"], v["text"]) == v["plaintext"], v["name"]
    os.urandom = lambda size, nonce=bytes.fromhex(v["nonce"]): nonce
    assert seal(v["apiKey"], v["field"], v["plaintext"]) == v["text"], v["name"]
for v in vectors["refused"]:
    try:
        open_sealed(v["apiKey"], v["field"], v["text"])
    except Exception:
        continue
    raise AssertionError(v["name"])
print("done")
`;
    const output = execFileSync('python3', ['-c', program + check, VECTORS_FILE], { encoding: 'utf8' });
    expect(output).toBe('done\n');
  });
});

describe('any text', () => {
  const fields = fc.constantFrom<NodeField>('features', 'puid', 'guid');
  // UTF-8 cannot represent lone surrogates.
  const texts = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());

  it('opens as sealed, with a different nonce each time, here and in node:crypto', async () => {
    const cipher = createNodeCipher(API_KEY);
    await fc.assert(
      fc.asyncProperty(fields, texts, async (field, text) => {
        const [sealed, again] = [await cipher.encrypt(field, text), await cipher.encrypt(field, text)];
        expect(sealed).not.toBe(again);
        expect(await cipher.decrypt(field, sealed)).toBe(text);
        expect(openPlainly(API_KEY, field, again)).toBe(text);
      }),
    );
  });

  it('is sealed identically only for the same repeat key, API key, field and text', async () => {
    const cipher = createNodeCipher('key');
    const seal = (field: NodeField, text: string, repeatKey?: string) => cipher.encrypt(field, text, repeatKey);
    const first = await seal('puid', 'a', 'order-7');
    expect(await createNodeCipher('key').encrypt('puid', 'a', 'order-7')).toBe(first);
    expect(await cipher.decrypt('puid', first)).toBe('a');
    const nonceOf = (sealed: string) => Buffer.from(sealed, 'base64url').subarray(1, 13).toString('hex');
    const others = await Promise.all([
      seal('puid', 'b', 'order-7'),
      seal('guid', 'a', 'order-7'),
      seal('puid', 'a', 'order-8'),
      seal('puid', 'a'),
      createNodeCipher('other').encrypt('puid', 'a', 'order-7'),
    ]);
    expect(new Set([first, ...others].map(nonceOf)).size).toBe(6);
  });

  it('does not open after any change', async () => {
    const cipher = createNodeCipher(API_KEY);
    const sealed = await cipher.encrypt('puid', 'somebody');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n';
    const changes = fc.record({ at: fc.nat(sealed.length - 1), letter: fc.constantFrom(...alphabet) });
    await fc.assert(
      fc.asyncProperty(changes, async ({ at, letter }) => {
        fc.pre(sealed[at] !== letter);
        const changed = sealed.slice(0, at) + letter + sealed.slice(at + 1);
        expect(await rejectionOf(cipher.decrypt('puid', changed))).toBeInstanceOf(NodeCipherError);
      }),
    );
  });

  it('may be a megabyte long and start with a byte order mark', async () => {
    const cipher = createNodeCipher(API_KEY);
    const long = `\ufeff${'é0123456789'.repeat(100_000)}`;
    expect(await cipher.decrypt('features', await cipher.encrypt('features', long))).toBe(long);
  });
});

it('reports sealed bytes that are not text', async () => {
  const cipher = createCipheriv('aes-256-gcm', deriveKey(API_KEY), Buffer.alloc(12)).setAAD(Buffer.from('puid'));
  const sealed = Buffer.concat([cipher.update(Buffer.from([0xff])), cipher.final()]);
  const text = Buffer.concat([Buffer.from([1]), Buffer.alloc(12), sealed, cipher.getAuthTag()]).toString('base64url');
  const error = await rejectionOf(createNodeCipher(API_KEY).decrypt('puid', text));
  expect(error).toMatchObject({ code: 'malformed', message: 'The text opens but is not UTF-8.' });
});

it('derives the key once', async () => {
  const derivations = vi.spyOn(crypto.subtle, 'deriveKey');
  onTestFinished(() => derivations.mockRestore());
  const cipher = createNodeCipher(API_KEY);
  await Promise.all([cipher.encrypt('puid', 'a'), cipher.encrypt('guid', 'b')]);
  await cipher.decrypt('puid', opens[0]!.text);
  expect(derivations).toHaveBeenCalledTimes(1);
});

it('explains the missing WebCrypto on a page without https', async () => {
  vi.stubGlobal('crypto', { getRandomValues: () => new Uint8Array(12) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const error = await rejectionOf(createNodeCipher(API_KEY).encrypt('puid', 'a'));
  expect(error).toEqual(new TypeError('Encryption needs WebCrypto, which browsers offer on https pages only.'));
});

it.each(['', undefined, 7])('rejects the API key %j', (apiKey) => {
  expect(() => createNodeCipher(apiKey as never)).toThrow(TypeError);
});

function deriveKey(apiKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', apiKey, 'limen-node', 'v1', 32));
}

function sealPlainly(apiKey: string, nonce: Buffer, field: string, text: string): string {
  const cipher = createCipheriv('aes-256-gcm', deriveKey(apiKey), nonce).setAAD(Buffer.from(field));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

function openPlainly(apiKey: string, field: string, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  // Node decodes leniently; only the canonical encoding is accepted.
  if (bytes.toString('base64url') !== text || bytes.length < 29 || bytes[0] !== 1) throw new Error('not version 1');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(apiKey), bytes.subarray(1, 13), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(field)).setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(13, -16)), decipher.final()]).toString('utf8');
}

function hasPython(module: string): boolean {
  return spawnSync('python3', ['-c', `import ${module}`]).status === 0;
}
