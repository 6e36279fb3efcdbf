import { describe, expect, it } from 'vitest';
import { fetchOrigins } from './fetch-origins.ts';

const SITES = ['https://shop.example'];

/** Each answer in turn; `lost` never arrives. */
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
  it.each(['lost', 429, 503] as const)('are asked for again after an answer that was %s', async (answer) => {
    expect(await ask(answer, answer, 200)).toMatchObject({ origins: SITES, asked: 3 });
  });

  it('are nobody where the service knows no such session, at once', async () => {
    expect(await ask(404)).toEqual({ origins: [], asked: 1, waited: 0 });
  });

  it('are nobody where no answer comes, before a host gives up waiting', async () => {
    const { origins, waited } = await ask('lost');
    expect(origins).toEqual([]);
    expect(waited).toBeLessThan(8_000);
  });
});
