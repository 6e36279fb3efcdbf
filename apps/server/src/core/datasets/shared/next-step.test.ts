// Every way in which a machine and the database can differ, with clocks that say the opposite.
import { expect, it } from 'vitest';
import type { DatasetInfo } from '../folder/dataset-folder.ts';
import { nextStep } from './next-step.ts';

const [EARLY, LATE] = ['2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'];
const list = (sha256: string, builtAt: string) => ({ builtAt, indexSum: { sha256, bytes: 1 } }) as DatasetInfo;
const shared = (sha256: string, builtAt: string) => ({ info: list(sha256, builtAt) });
const removed = (at: string) => ({ removedAt: Date.parse(at) });

it.each([
  ['nobody has told of it', { local: list('a', EARLY) }, 'publish'],
  ['nobody has it', {}, 'nothing'],
  ['all have the same', { local: list('a', EARLY), shared: shared('a', LATE), agreed: 'a' }, 'compare'],
  ['it is new here', { local: list('b', EARLY), shared: shared('a', LATE), agreed: 'a' }, 'publish'],
  ['it is new elsewhere', { local: list('a', LATE), shared: shared('b', EARLY), agreed: 'a' }, 'adopt'],
  ['both are new, this one later', { local: list('b', LATE), shared: shared('c', EARLY), agreed: 'a' }, 'publish'],
  ['both are new, the other later', { local: list('b', EARLY), shared: shared('c', LATE), agreed: 'a' }, 'adopt'],
  ['they have never met', { local: list('b', EARLY), shared: shared('c', LATE) }, 'adopt'],
  ['it was removed elsewhere', { local: list('a', LATE), shared: removed(EARLY), agreed: 'a' }, 'remove'],
  [
    'it was loaded after all had removed it',
    { local: list('a', EARLY), shared: removed(LATE), agreed: null },
    'publish',
  ],
  [
    'it is new here and removed elsewhere, later',
    { local: list('b', EARLY), shared: removed(LATE), agreed: 'a' },
    'remove',
  ],
  ['it was removed here', { shared: shared('a', LATE), agreed: 'a', isRemoved: true }, 'retract'],
  ['it was removed here and is new elsewhere', { shared: shared('b', LATE), agreed: 'a', isRemoved: true }, 'retract'],
  [
    'all had removed it, and it is new elsewhere',
    { shared: shared('a', EARLY), agreed: null, isRemoved: true },
    'adopt',
  ],
  ['it was lost here', { shared: shared('a', EARLY), agreed: 'a' }, 'adopt'],
  ['it was removed elsewhere and never here', { shared: removed(EARLY) }, 'remove'],
  ['all have removed it', { shared: removed(EARLY), agreed: null, isRemoved: true }, 'nothing'],
  [
    'it is of a time before checksums',
    { local: { builtAt: EARLY } as DatasetInfo, shared: shared('a', LATE) },
    'adopt',
  ],
] as const)('where %s', (_, places, step) => {
  expect(nextStep({ local: undefined, shared: undefined, agreed: undefined, isRemoved: false, ...places })).toBe(step);
});
