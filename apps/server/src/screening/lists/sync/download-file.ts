// Downloads a file of a list if it has changed: conditional request, byte limit, checksum, nothing half-written.
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { withoutQuery } from '../../../platform/outbound/error.ts';
import { type Outbound, type OutboundReply, readText } from '../../../platform/outbound/guarded-fetch.ts';
import { DatasetError } from '../folder/names.ts';

interface Download {
  url: string;
  path: string;
  maxBytes: number;
  /** Identifies the copy that is already here; the server sends the file only if it has a different one. */
  known?: { etag?: string; lastModified?: string } | undefined;
  /** SHA-1 in hex, as OpenSanctions publishes it. */
  sha1?: string | undefined;
  signal?: AbortSignal | undefined;
  onBytes: (received: number, expected: number | undefined) => void;
}

/** Returns undefined if the server says that nothing has changed. */
export async function downloadFile(outbound: Outbound, download: Download) {
  const { url, path, known, signal } = download;
  const headers = {
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
  return outbound.get(url, { headers, signal }, async (reply) => {
    if (reply.status === 304 && known !== undefined) return undefined;
    requireContent(reply, url);
    try {
      return await store(reply, download);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  });
}

export async function downloadJson(
  outbound: Outbound,
  url: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return outbound.get(url, { signal }, async (reply) => {
    requireContent(reply, url);
    const text = await readText(reply, maxBytes);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new DatasetError(`${withoutQuery(url)} is not JSON.`);
    }
  });
}

function requireContent(reply: OutboundReply, url: string): void {
  if (reply.status !== 200) {
    throw new DatasetError(`${withoutQuery(url)} answered ${reply.status}; the list was not changed.`);
  }
  const encoding = reply.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw new DatasetError(`${withoutQuery(url)} answered packed (${encoding}), which was not asked for.`);
  }
}

async function store(reply: OutboundReply, { url, path, maxBytes, sha1, onBytes }: Download) {
  const length = reply.header('content-length');
  const expected = length === undefined ? undefined : Number(length);
  const [sha256, publishers] = [createHash('sha256'), createHash('sha1')];
  let bytes = 0;
  const file = await open(path, 'w', 0o600);
  try {
    for await (const chunk of reply.body(maxBytes)) {
      await file.appendFile(chunk);
      sha256.update(chunk);
      if (sha1 !== undefined) publishers.update(chunk);
      bytes += chunk.length;
      onBytes(bytes, expected);
    }
  } finally {
    await file.close();
  }
  const at = withoutQuery(url);
  if (expected !== undefined && bytes !== expected) {
    throw new DatasetError(`${at} sent ${bytes} bytes instead of ${expected}; the list was not changed.`);
  }
  if (sha1 !== undefined && publishers.digest('hex') !== sha1.toLowerCase()) {
    throw new DatasetError(`${at} does not have the checksum that its publisher names; try again later.`);
  }
  const [etag, lastModified] = [reply.header('etag'), reply.header('last-modified')];
  return {
    sha256: sha256.digest('hex'),
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}
