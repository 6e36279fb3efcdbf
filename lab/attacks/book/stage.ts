// The stage of the attacks: a service, clients, and keys.
import { randomInt } from 'node:crypto';
import { type Host, type HostKey, openHost } from './host.ts';
import { openSpeaker, type Speaker } from './speak.ts';

export type KeyKind = 'live' | 'test';

export interface WantedKey {
  kind?: KeyKind;
  /** Keys of one customer. Default: a new customer. */
  customer?: string;
  clientCredentials?: boolean;
}

export interface Stage {
  url: string;
  speaker: Speaker;
  /** Uses a test key, with its client credentials if it has any. Throws if the stage has no key. */
  host: Host;
  /** Throws unless the service is the book's own. */
  newHost(wanted?: WantedKey): Promise<Host>;
  revoke(host: Host): Promise<void>;
  /** Deletes all age keys created in sessions of this host. */
  endAgeKeys(host: Host): Promise<void>;
  /** Another own service with different settings, which ends with this one. */
  another(environment: Record<string, string>): Promise<Stage>;
  /** Advances the clock of a service opened with MOVABLE_CLOCK. */
  passTime(ms: number): void;
  /** Data folder of an own service. Throws for others. */
  folder: string;
  /** Origin of the launch page, to which passkeys are bound. */
  pageOrigin: string;
  /** A new client address. Remote services only see one. */
  newAddress(): string;
  /** Closed with the stage, in reverse order. */
  atEnd(end: () => Promise<void>): void;
  close(): Promise<void>;
}

export interface StageOptions {
  url: string;
  key?: HostKey | undefined;
  /** Present only if the service is the book's own. */
  makeKey?: (wanted: Required<Pick<WantedKey, 'kind' | 'clientCredentials'>> & WantedKey) => Promise<HostKey>;
  revokeKey?: (apiKey: string) => Promise<void>;
  endAgeKeys?: (apiKey: string) => Promise<void>;
  openAnother?: (environment: Record<string, string>) => Promise<Stage>;
  passTime?: (ms: number) => void;
  pageOrigin?: string;
  folder?: string;
  close?: () => Promise<void>;
}

export function openStage(options: StageOptions): Stage {
  const { url, key, makeKey, revokeKey, endAgeKeys, openAnother, passTime, pageOrigin, folder, close } = options;
  const ends: (() => Promise<void>)[] = [];
  const speaker = openSpeaker(url);
  const host = key && openHost(speaker, key);
  return {
    url,
    speaker,
    pageOrigin: pageOrigin ?? new URL(url).origin,
    get folder() {
      if (folder === undefined) throw new Error('its folder is its own');
      return folder;
    },
    get host() {
      if (!host) throw new Error('there is no key');
      return host;
    },
    async newHost({ kind = 'test', clientCredentials = false, ...more } = {}) {
      if (!makeKey) throw new Error('there are no other keys');
      return openHost(speaker, await makeKey({ kind, clientCredentials, ...more }));
    },
    async revoke({ apiKey }) {
      await revokeKey?.(apiKey);
    },
    async endAgeKeys({ apiKey }) {
      await endAgeKeys?.(apiKey);
    },
    async another(environment) {
      if (!openAnother) throw new Error('there is no other service');
      const otherStage = await openAnother(environment);
      ends.push(otherStage.close);
      return otherStage;
    },
    passTime(ms) {
      if (!passTime) throw new Error('its time is its own');
      passTime(ms);
    },
    // All of 127.0.0.0/8 is this machine.
    newAddress: () => (makeKey ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}` : '127.0.0.1'),
    atEnd: (end) => void ends.push(end),
    async close() {
      for (const end of ends.reverse()) await end();
      speaker.close();
      await close?.();
    },
  };
}
