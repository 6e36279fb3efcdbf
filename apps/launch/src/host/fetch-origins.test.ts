import { describe, expect, it } from 'vitest';
import { fetchOrigins } from './fetch-origins.ts';

const SITES = ['https://shop.example'];

/** Gives the answers in turn; `lost` never arrives. */
async function ask(...answers: (number | 'lost')[]) {
  let asked = 0;
  const pauses: number[] = [];
  const origins = await fetchOrigins('x', {
    async fetch(url) {
      expect(url).toBe('launch/embedders?sessionId=x');
      const answer = answers[Math.min(asked, answers.length - 1)]!;
      asked += 1;
      if (answer === 'lost') throw new TypeError('Failed to fetch');
      return Response.json({ origins: SITES }, { status: answer });
    },
    pause: async (ms) => void pauses.push(ms),
  });
  return { origins, asked, waited: pauses.reduce((sum, ms) => sum + ms, 0) };
}

describe('the sites that may embed the page', () => {
  it.each(['lost', 429, 503] as const)('are requested again after the answer %s', async (answer) => {
    expect(await ask(answer, answer, 200)).toMatchObject({ origins: SITES, asked: 3 });
  });

  it('are empty at once if there is no such session', async () => {
    expect(await ask(404)).toEqual({ origins: [], asked: 1, waited: 0 });
  });

  it('are empty without an answer, before the host gives up', async () => {
    const { origins, waited } = await ask('lost');
    expect(origins).toEqual([]);
    expect(waited).toBeLessThan(8_000);
  });
});
