// A small reply as one text.
import type { OutboundReply } from './guarded-fetch.ts';

/** Fails with `too_large` as soon as more than `maxBytes` arrive. */
export async function readText(reply: OutboundReply, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body(maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
