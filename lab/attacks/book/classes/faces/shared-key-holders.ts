// Key-holders with a shared database, called by a compromised service: limits counted by one must
// hold at the other.

import { findPostgres, startCluster } from '@limen/testing/postgres-cluster.ts';
import { THROTTLE_RULES } from '../../../../../apps/server/src/faces/keyholder/limits.ts';
import {
  ChallengeRefusedError,
  type KeyHolder,
  ThrottledError,
} from '../../../../../apps/server/src/faces/keyholder/link/calls.ts';
import { openService } from '../../../../../apps/server/src/faces/keyholder/open.ts';
import {
  ask,
  MODEL_VERSION,
  makeProbe,
  makeToken,
  randomVector,
  rowsOf,
  search,
  shapeOf,
} from '../../../../../apps/server/testing/faces/faces.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import type { Stage } from '../../stage.ts';

const ABOUT = { modelVersion: MODEL_VERSION };
const common = {
  promise: 'docs/keyholder.md#several-key-holders',
  needs: 'many keys',
  isLong: true, // starts a PostgreSQL
  lacks: () => (findPostgres() === undefined ? 'there is no PostgreSQL on this machine' : undefined),
} as const;

async function openTwo(stage: Stage): Promise<[KeyHolder, KeyHolder]> {
  const cluster = await startCluster(findPostgres()!);
  stage.atEnd(() => cluster.stop());
  const open = async (): Promise<KeyHolder> => {
    const { calls, stop, close } = await openService({
      ...{ place: { databaseUrl: cluster.url }, masterKeys: [Buffer.alloc(32, 7)] as const },
      ...{ thresholdOf: () => 0.48, warn: () => {} },
    });
    stage.atEnd(async () => {
      stop();
      await close();
    });
    return { ...calls, state: () => 'ready', close };
  };
  return [await open(), await open()];
}

const reasonOf = (error: unknown) => (error instanceof ChallengeRefusedError ? error.reason : 'broken');

export const oneTimeKeysAtBoth: AttackClass = {
  ...common,
  name: 'one-time-keys-at-both',
  prevents: 'two comparisons for one challenge, by using its key at two key-holders in the same moment',
  refusals: ['begun once, used'],
  attempts: 60,
  async begin(stage) {
    const both = await openTwo(stage);
    const ada = randomVector();
    const { epoch, token } = await makeToken(both[0], ada);
    const opened = await both[0].openChallenge(ask('identify', { session: 'honest' }));
    const probe = await makeProbe(ada, opened);
    await both[1].begin(opened.challenge, ABOUT, await shapeOf(probe));
    await both[1].rows(opened.challenge, epoch, rowsOf([token], probe));
    expectHonest((await both[1].finish(opened.challenge)).best === 0, 'a challenge of one is good at the other');
    return async (round) => {
      // A person who was not counted before.
      const who = { customer: `customer ${round}`, address: `address ${round}`, session: `session ${round}` };
      const challenge = await inTurn(both, round).openChallenge(ask('identify', who));
      const shape = await shapeOf(await makeProbe(randomVector(), challenge));
      const begun = await Promise.allSettled(both.map((holder) => holder.begin(challenge.challenge, ABOUT, shape)));
      const told = begun.map((one) => (one.status === 'fulfilled' ? 'begun once' : reasonOf(one.reason)));
      return told.sort().join(', ');
    };
  },
};

export const guessesSplit: AttackClass = {
  ...common,
  name: 'guesses-split-over-key-holders',
  prevents: 'more guesses at a face than one key-holder would allow, by asking several in turn',
  refusals: ['throttled'],
  attempts: 30,
  async begin(stage) {
    const both = await openTwo(stage);
    const { epoch, token } = await makeToken(both[0], randomVector());
    const guess = (nth: number) =>
      search(inTurn(both, nth), randomVector(), { epoch, tokens: [token], session: `session ${nth}` });
    for (let nth = 0; nth < THROTTLE_RULES.address.refusals; nth += 1)
      expectHonest((await guess(nth)).best === null, 'a guess is compared');
    return async (round) => {
      try {
        await guess(1_000 + round);
        return 'compared';
      } catch (error) {
        return error instanceof ThrottledError ? 'throttled' : 'broken';
      }
    };
  },
};
