// Fetches the sites that may embed the page. None, if the service says so or does not answer in
// time.

/** Delays before retries. Their sum is slightly less than the element's timeout. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 3_500];

/** Retries a lost request, because without an answer the host takes the page for unavailable. */
export async function fetchOrigins(
  sessionId: string,
  { fetch, pause }: { fetch(url: string): Promise<Response>; pause(ms: number): Promise<void> },
): Promise<readonly string[]> {
  const url = `launch/embedders?${new URLSearchParams({ sessionId })}`;
  for (const pauseMs of [0, ...PAUSES_MS]) {
    if (pauseMs > 0) await pause(pauseMs);
    const origins = await fetch(url).then(readReply, () => undefined);
    if (origins) return origins;
  }
  return [];
}

/** Returns undefined if a retry is worthwhile. */
async function readReply(reply: Response): Promise<readonly string[] | undefined> {
  if (reply.ok) return ((await reply.json()) as { origins: string[] }).origins;
  return reply.status === 429 || reply.status >= 500 ? undefined : [];
}
