// Which sites may embed the page. Nobody, where the service says so, or does not answer for longer than a host waits.

/** Before each further try: together somewhat less than the element waits after the page's greeting. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 3_500];

/** An answer that is lost is asked for again: without it the host takes a page that works for one that is not there. */
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

/** Undefined where it is worth another try. */
async function readReply(reply: Response): Promise<readonly string[] | undefined> {
  if (reply.ok) return ((await reply.json()) as { origins: string[] }).origins;
  return reply.status === 429 || reply.status >= 500 ? undefined : [];
}
