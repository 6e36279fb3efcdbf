import { describe, expect, it } from 'vitest';
import { type EvidenceStream, gatherEvidence, writeEvidence } from './collect.ts';

function evidenceOf(pages: Iterable<object[]>): EvidenceStream {
  const history = (async function* () {
    yield* pages;
  })();
  return { subject: { id: 'a' }, hits: [{ id: 'h' }], history } as unknown as EvidenceStream;
}

async function writtenOf(pages: Iterable<object[]>): Promise<string> {
  let text = '';
  for await (const piece of writeEvidence(evidenceOf(pages))) text += piece;
  return text;
}

describe('evidence', () => {
  it.each([[[]], [[[]]], [[[{ id: 1 }, { id: 2 }], [], [{ id: 3 }]]]])('is JSON for any pages: %j', async (pages) => {
    expect(JSON.parse(await writtenOf(pages))).toEqual({
      subject: { id: 'a' },
      hits: [{ id: 'h' }],
      history: pages.flat(),
    });
  });

  it('is signed as a whole up to 10,000 entries; above that it gets 413, but is available as JSON', async () => {
    const most = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ id: 1 })));
    expect((await gatherEvidence(evidenceOf(most))).history).toHaveLength(10_000);
    const more = [...most, [{ id: 2 }]];
    await expect(gatherEvidence(evidenceOf(more))).rejects.toMatchObject({
      statusCode: 413,
      message: expect.stringContaining('ask for JSON'),
    });
    expect(JSON.parse(await writtenOf(more)).history).toHaveLength(10_001);
  });

  it('stops reading once it is refused', async () => {
    let read = 0;
    const endless = (function* () {
      for (;;) {
        read += 1;
        yield Array.from({ length: 1_000 }, () => ({ id: read }));
      }
    })();
    await expect(gatherEvidence(evidenceOf(endless))).rejects.toThrow('too many to be signed');
    expect(read).toBe(11);
  });
});
