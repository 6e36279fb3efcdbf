// Server-sent events with any chunk boundaries.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from './event-stream.ts';

async function* chunksOf(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

async function eventsOf(...chunks: (string | Uint8Array)[]): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(chunksOf(...chunks))) events.push(event);
  return events;
}

describe('events', () => {
  it.each([
    ['with a name', 'event: view\ndata: {}\n\n', [{ name: 'view', data: '{}' }]],
    ['without a name', 'data: x\n\n', [{ name: 'message', data: 'x' }]],
    ['of several lines', 'data: a\ndata:b\ndata:  c\n\n', [{ name: 'message', data: 'a\nb\n c' }]],
    [
      'with other line ends',
      'event: view\r\ndata: a\r\n\r\ndata: b\r\rx',
      [
        { name: 'view', data: 'a' },
        { name: 'message', data: 'b' },
      ],
    ],
    [
      'between comments and unknown fields',
      ':\n\n: hi\nid: 7\nretry: 1\ndata: x\n\n:\n\n',
      [{ name: 'message', data: 'x' }],
    ],
    ['without data', 'event: view\n\n', []],
    ['that is not complete', 'data: x\n', []],
  ])('are parsed from %s', async (_name, text, events) => {
    expect(await eventsOf(text)).toEqual(events);
  });

  it('are the same for all chunk boundaries, even within a character', async () => {
    const bytes = new TextEncoder().encode('event: view\r\ndata: "Tür 🚪"\r\n\r\n:\n\ndata: 2\n\n');
    const whole = await eventsOf(bytes);
    expect(whole).toHaveLength(2);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
        expect(await eventsOf(...chunks)).toEqual(whole);
      }),
    );
  });

  it('may arrive in a chunk that is larger than any of them', async () => {
    const event = `data: ${'x'.repeat(60_000)}\n\n`;
    expect(await eventsOf(event.repeat(3))).toHaveLength(3);
  });

  it.each([
    ['one endless line', ['data: ', 'x'.repeat(70_000)]],
    ['endless lines', ['data: x\n'.repeat(12_000)]],
    ['one long line that ends', [`data: ${'x'.repeat(70_000)}\n\n`]],
    ['many lines that end, in one piece', [`${'data: x\n'.repeat(12_000)}\n`]],
  ])('are bounded in size: %s', async (_name, chunks) => {
    await expect(eventsOf(...chunks)).rejects.toThrow('too long');
  });
});
