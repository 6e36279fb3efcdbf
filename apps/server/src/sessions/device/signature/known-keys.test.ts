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
  const sign = (text: string) => keys.check(text, async (key) => key.export().toString() === text);
  const forge = (text: string) => keys.check(text, async () => false);
  return { readTexts, sign, forge };
}

describe('a key that has signed', () => {
  it('is read once', async () => {
    const { readTexts, sign } = prepare();
    expect([await sign('one'), await sign('one'), await sign('one')]).toEqual([true, true, true]);
    expect(readTexts).toEqual(['one']);
  });

  it('is not forgotten for keys that have not, however many come', async () => {
    const { readTexts, sign, forge } = prepare();
    await sign('one');
    for (const text of ['two', 'three', 'four', '?']) expect(await forge(text)).toBe(false);
    await sign('one');
    expect(readTexts).toEqual(['one', 'two', 'three', 'four', '?']);
    expect(await forge('two')).toBe(false);
    expect(readTexts.at(-1)).toBe('two');
  });

  it('stays while it is used, and the one that was used longest ago goes', async () => {
    const { readTexts, sign } = prepare();
    for (const text of ['one', 'two', 'one', 'three', 'one']) await sign(text);
    expect(readTexts).toEqual(['one', 'two', 'three']);
    await sign('two');
    expect(readTexts).toEqual(['one', 'two', 'three', 'two']);
  });

  it('is asked for each signature, known or not', async () => {
    const { sign, forge } = prepare();
    expect([await sign('one'), await forge('one'), await sign('one')]).toEqual([true, false, true]);
  });
});
