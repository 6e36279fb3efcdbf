// Every difference between a machine and the database, even with contradicting clocks.
import { expect, it } from 'vitest';
import type { DatasetInfo } from '../folder/folder.ts';
import { nextStep } from './next-step.ts';

const [EARLY, LATE] = ['2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'];
const sync = { checkedAt: EARLY, files: [] };
const list = (sha256: string, builtAt: string) =>
  ({ builtAt, sync, indexSum: { sha256, bytes: 1 } }) as unknown as DatasetInfo;
const shared = (sha256: string, builtAt: string, revision = 3) => ({ info: list(sha256, builtAt), revision });
const removed = (at: string, revision = 3) => ({ removedAt: Date.parse(at), revision });

/** In agreement until revision three, or an earlier one, arrived. */
const agreed = (sum: string | null) => ({ sum, revision: 2 });

it.each([
  ['no one knows the list', { local: list('a', EARLY) }, 'publish'],
  ['no one has it', {}, 'nothing'],
  [
    'everyone has the same version',
    { local: list('a', EARLY), shared: shared('a', LATE), agreed: agreed('a') },
    'compare',
  ],
  ['it is new here', { local: list('b', EARLY), shared: shared('a', LATE), agreed: agreed('a') }, 'publish'],
  ['it is new elsewhere', { local: list('a', LATE), shared: shared('b', EARLY), agreed: agreed('a') }, 'adopt'],
  [
    'both versions are new and this one is later',
    { local: list('b', LATE), shared: shared('c', EARLY), agreed: agreed('a') },
    'publish',
  ],
  [
    'both versions are new and the other one is later',
    { local: list('b', EARLY), shared: shared('c', LATE), agreed: agreed('a') },
    'adopt',
  ],
  ['the two were never compared', { local: list('b', EARLY), shared: shared('c', LATE) }, 'adopt'],
  ['it was removed elsewhere', { local: list('a', LATE), shared: removed(EARLY), agreed: agreed('a') }, 'remove'],
  [
    'it was loaded after everyone had removed it',
    { local: list('a', EARLY), shared: removed(LATE), agreed: agreed(null) },
    'publish',
  ],
  [
    'it is new here and was removed elsewhere later',
    { local: list('b', EARLY), shared: removed(LATE), agreed: agreed('a') },
    'remove',
  ],
  ['it was removed here', { shared: shared('a', LATE), agreed: agreed('a'), isRemoved: true }, 'retract'],
  [
    'it was removed here and is new elsewhere',
    { shared: shared('b', LATE), agreed: agreed('a'), isRemoved: true },
    'retract',
  ],
  [
    'everyone had removed it and it is new elsewhere',
    { shared: shared('a', EARLY), agreed: agreed(null), isRemoved: true },
    'adopt',
  ],
  ['it was lost here', { shared: shared('a', EARLY), agreed: agreed('a') }, 'adopt'],
  ['it was removed elsewhere and never existed here', { shared: removed(EARLY) }, 'remove'],
  ['everyone has removed it', { shared: removed(EARLY), agreed: agreed(null), isRemoved: true }, 'nothing'],
  [
    'the database was restored to an earlier moment',
    { local: list('b', EARLY), shared: shared('a', LATE, 2), agreed: agreed('b') },
    'publish',
  ],
  [
    'the database was restored to a moment after its removal',
    { local: list('b', EARLY), shared: removed(LATE, 2), agreed: agreed('b') },
    'publish',
  ],
  [
    'the database was restored to a moment before its removal',
    { shared: shared('a', LATE, 1), agreed: agreed(null), isRemoved: true },
    'retract',
  ],
  [
    'a machine that was behind rewrote its row',
    { local: list('b', EARLY), shared: shared('a', LATE, 2), agreed: agreed('b') },
    'publish',
  ],
  [
    'a file was loaded while it was removed elsewhere',
    { local: { ...list('b', EARLY), sync: undefined } as never, shared: removed(LATE), agreed: agreed('a') },
    'publish',
  ],
  ['its row does not open and it was removed here', { agreed: agreed('a'), isRemoved: true }, 'retract'],
] as const)('decides the next step if %s', (_, places, step) => {
  expect(nextStep({ local: undefined, shared: undefined, agreed: undefined, isRemoved: false, ...places })).toBe(step);
});
