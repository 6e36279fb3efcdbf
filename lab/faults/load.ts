// A steady load of persistent hosts: each retries until it gets a reply and records what was
// acknowledged.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgeSessionResult, CreatedAgeSession } from '@limen/contract';
import type { KeyHolder } from '../../apps/server/src/faces/keyholder/link/calls.ts';
import { keyHolderOver } from '../../apps/server/src/faces/keyholder/link/link.ts';
import { TlsLink } from '../../apps/server/src/faces/keyholder/link/tls.ts';
import { createLogSink } from '../../apps/server/src/platform/base/logging.ts';
import { makeToken, randomVector, search } from '../../apps/server/testing/faces/faces.ts';
import type { RunningCluster } from '../../testing/cluster/start-cluster.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const WRITERS = 4;
const HOSTS = 2;
/** Pause between two requests of a worker. */
const PACE_MS = 60;
const SIGN_IN_PACE_MS = 250;
/** Pause between two attempts. */
const AGAIN_MS = 50;
/** Timeout of an attempt. */
const PATIENCE_MS = 20_000;

/** Results since the last check. */
export interface Tally {
  /** Ids of strings whose write was acknowledged. */
  strings: string[];
  /** Tokens of sessions whose end was acknowledged. */
  ended: string[];
  /** Sessions and sign-ins that had to be restarted. */
  againSessions: number;
  signIns: number;
  againSignIns: number;
  /** Refused attempts. */
  refused: number;
  /** Maximum milliseconds from the first attempt of a request to its reply. */
  longestMs: number;
  /** The request with that maximum. */
  longestOf: string;
}

export interface Load {
  /** Since the last check. */
  take(): Tally;
  /** Resolves when each worker got a reply to a request started after this call. */
  untilAnswered(): Promise<void>;
  receiver: Receiver;
  /** Errors that no fault explains. */
  surprises: readonly string[];
  stop(): Promise<void>;
}

export async function startLoad(cluster: RunningCluster): Promise<Load> {
  const { url: front, apiKey } = cluster;
  const receiver = await startReceiver();
  const surprises: string[] = [];
  let tally = emptyTally();
  let isStopping = false;
  const answered = new Map<string, number>();

  function noteWait(of: string, ms: number): void {
    if (ms <= tally.longestMs) return;
    tally.longestMs = ms;
    tally.longestOf = of;
  }

  /** Retries until one of these statuses. Returns undefined at the end of the load. */
  async function insist(
    path: string,
    body: object,
    good: readonly number[],
    key?: string,
  ): Promise<Response | undefined> {
    const began = performance.now();
    while (!isStopping) {
      const reply = await fetch(front + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': apiKey,
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => undefined);
      if (reply && good.includes(reply.status)) {
        noteWait(path.replace(/[\w-]{20,}/, '…'), performance.now() - began);
        return reply;
      }
      tally.refused += 1;
      if (reply && reply.status < 500) surprises.push(`${path.replace(/[\w-]{20,}/, '…')} answered ${reply.status}`);
      await reply?.body?.cancel().catch(() => {});
      await pause(AGAIN_MS);
    }
    return undefined;
  }

  /** Runs `work` repeatedly and records the start times of successful runs. */
  async function repeat(name: string, paceMs: number, work: () => Promise<boolean>): Promise<void> {
    while (!isStopping) {
      const began = performance.now();
      if (await work()) answered.set(name, began);
      await pause(paceMs);
    }
  }

  async function writeString(): Promise<boolean> {
    const key = randomUUID();
    const reply = await insist('/strings', { value: key }, [201], key);
    if (!reply) return false;
    tally.strings.push(((await reply.json()) as { id: string }).id);
    return true;
  }

  async function runSession(): Promise<boolean> {
    const created = await insist('/session', { callback: { url: receiver.url } }, [200, 201], randomUUID());
    if (!created) return false;
    const { token } = (await created.json()) as CreatedAgeSession;
    // 409: an earlier attempt ended it, but its reply was lost. 404 and 410: the session no longer
    // exists.
    const ended = await insist(`/session/${token}/simulate`, { outcome: 'above' }, [200, 404, 409, 410]);
    if (!ended) return false;
    if (ended.ok) await ended.body?.cancel();
    const result = ended.ok ? { flowStatus: 'COMPLETED' } : await readResult(token);
    if (result?.flowStatus === 'COMPLETED') tally.ended.push(token);
    else tally.againSessions += 1;
    return true;
  }

  async function readResult(token: string): Promise<Pick<AgeSessionResult, 'flowStatus'> | undefined> {
    while (!isStopping) {
      const reply = await fetch(`${front}/session/${token}/result`).catch(() => undefined);
      if (reply && reply.status < 500) return reply.ok ? ((await reply.json()) as AgeSessionResult) : undefined;
      await pause(AGAIN_MS);
    }
    return undefined;
  }

  const link = new TlsLink({
    urls: cluster.environment['KEYHOLDER_URL']!.split(','),
    secrets: [cluster.environment['KEYHOLDER_SECRET']!],
    log: createLogSink('silent').log,
  });
  const keyHolder: KeyHolder = keyHolderOver(link);
  const face = randomVector();
  const token = await makeToken(keyHolder, face);

  /** The service's part of a face sign-in, with the service's own code. */
  async function signIn(): Promise<boolean> {
    const began = performance.now();
    for (; !isStopping; await pause(AGAIN_MS)) {
      try {
        const { challenge, best } = await search(keyHolder, face, {
          epoch: token.epoch,
          tokens: [token.token],
          session: randomUUID(),
        });
        if (best !== 0) surprises.push('a face was not found');
        await keyHolder.settle(challenge, 'somebody');
        tally.signIns += 1;
        noteWait('a sign-in', performance.now() - began);
        return true;
      } catch {
        tally.againSignIns += 1;
      }
    }
    return false;
  }

  const workers = [
    ...Array.from({ length: WRITERS }, (_, nth) => repeat(`writer ${nth}`, PACE_MS, writeString)),
    ...Array.from({ length: HOSTS }, (_, nth) => repeat(`host ${nth}`, PACE_MS, runSession)),
    repeat('sign-ins', SIGN_IN_PACE_MS, signIn),
  ];
  return {
    receiver,
    surprises,
    take() {
      const taken = tally;
      tally = emptyTally();
      return taken;
    },
    async untilAnswered() {
      const since = performance.now();
      while (answered.size < workers.length || [...answered.values()].some((at) => at < since)) await pause(AGAIN_MS);
    },
    async stop() {
      isStopping = true;
      await Promise.all(workers);
      await keyHolder.close();
    },
  };
}

function emptyTally(): Tally {
  return {
    strings: [],
    ended: [],
    againSessions: 0,
    signIns: 0,
    againSignIns: 0,
    refused: 0,
    longestMs: 0,
    longestOf: '',
  };
}
