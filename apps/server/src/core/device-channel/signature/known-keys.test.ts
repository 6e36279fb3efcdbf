import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKnownKeys } from './known-keys.ts';

/** Room for two; a text that begins with a question mark is no key. */
function prepare() {
  const readTexts: string[] = [];
  const keys = createKnownKeys(2, (text) => {
    readTexts.push(text);
    return text.startsWith('?') ? undefined : createSecretKey(Buffer.from(text));
  });
  const sign = (text: string) => keys.check(text, (key) => key.export().toString() === text);
  const forge = (text: string) => keys.check(text, () => false);
  return { readTexts, sign, forge };
}

describe('a key that has signed', () => {
  it('is read once', () => {
    const { readTexts, sign } = prepare();
    expect([sign('one'), sign('one'), sign('one')]).toEqual([true, true, true]);
    expect(readTexts).toEqual(['one']);
  });

  it('is not forgotten for keys that have not, however many come', () => {
    const { readTexts, sign, forge } = prepare();
    sign('one');
    for (const text of ['two', 'three', 'four', '?']) expect(forge(text)).toBe(false);
    sign('one');
    expect(readTexts).toEqual(['one', 'two', 'three', 'four', '?']);
    expect(forge('two')).toBe(false);
    expect(readTexts.at(-1)).toBe('two');
  });

  it('stays while it is used, and the one that was used longest ago goes', () => {
    const { readTexts, sign } = prepare();
    for (const text of ['one', 'two', 'one', 'three', 'one']) sign(text);
    expect(readTexts).toEqual(['one', 'two', 'three']);
    sign('two');
    expect(readTexts).toEqual(['one', 'two', 'three', 'two']);
  });

  it('is asked for each signature, known or not', () => {
    const { sign, forge } = prepare();
    expect([sign('one'), forge('one'), sign('one')]).toEqual([true, false, true]);
  });
});
