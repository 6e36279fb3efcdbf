// Where the service and its page are reached: what the settings say, else the door.
import type { Config } from '../../config.ts';

interface Addresses {
  publicUrl(): string;
  /** Where the person of this session starts. */
  launchUrl(sessionId: string): URL;
  /** Of the launch page, where the settings name it. */
  pageOrigin: string | undefined;
}

/** The door's address may be known only when the service listens, so it is asked each time. */
export function findAddresses(
  { PUBLIC_URL, LAUNCH_URL }: Pick<Config, 'PUBLIC_URL' | 'LAUNCH_URL'>,
  door: { address(): string },
): Addresses {
  const publicUrl = () => PUBLIC_URL ?? door.address();
  const named = LAUNCH_URL ?? PUBLIC_URL;
  return {
    publicUrl,
    launchUrl(sessionId) {
      const url = new URL(LAUNCH_URL ?? `${publicUrl()}/launch`);
      url.searchParams.set('sessionId', sessionId);
      return url;
    },
    pageOrigin: named === undefined ? undefined : new URL(named).origin,
  };
}
