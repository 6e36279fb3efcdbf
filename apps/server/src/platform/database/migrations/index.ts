// All migrations in order. A released one is never edited: add the next, with its phase. They are always applied in this order, so a
// contract migration is the last of its release: whatever comes after it has to wait for it.

import { foundation } from './0001-foundation.ts';
import { people } from './0002-people.ts';
import { sessions } from './0003-sessions.ts';
import { webhookDeliveries } from './0004-webhook-deliveries.ts';
import { deviceChannels } from './0005-device-channels.ts';
import { webhookIndexes } from './0006-webhook-indexes.ts';
import { faceTokens } from './0007-face-tokens.ts';
import { worlds } from './0008-worlds.ts';
import { atRest } from './0009-at-rest.ts';
import { keyHolder } from './0010-key-holder.ts';
import { handoffBoxes } from './0011-handoff-boxes.ts';
import { sealedPeople } from './0012-sealed-people.ts';
import { boundRows } from './0013-bound-rows.ts';
import { watchedSubjects } from './0014-watched-subjects.ts';
import { watchedDeltas } from './0015-watched-deltas.ts';
import { ageKeys } from './0016-age-keys.ts';
import { signingKeys } from './0017-signing-keys.ts';
import { watchedFilters } from './0018-watched-filters.ts';
import { watchedEngines } from './0019-watched-engines.ts';
import { consoleTables } from './0020-console.ts';
import { sessionLists } from './0021-session-lists.ts';
import { walletLinks } from './0022-wallet-links.ts';
import { review } from './0023-review.ts';
import { consoleLists } from './0024-console-lists.ts';
import { activity } from './0025-activity.ts';
import { keyLimits } from './0026-key-limits.ts';
import { operatorIdentities } from './0027-operator-identities.ts';
import { activityTotals } from './0028-activity-totals.ts';
import { consoleFigures } from './0029-console-figures.ts';
import { reviewBacklog } from './0030-review-backlog.ts';
import { webhookTries } from './0031-webhook-tries.ts';
import { sharedLists } from './0032-shared-lists.ts';
import { processes } from './0033-processes.ts';
import { processKeys } from './0034-process-keys.ts';
import { noBlocksAgain, noBlocksYet, nothingAgain, nothingStill, nothingYet } from './0035-nothing.ts';
import { tokenBlocks } from './0036-token-blocks.ts';
import { ageKeyMints } from './0039-age-key-mints.ts';
import { deviceCosts } from './0040-device-costs.ts';
import { keptCases } from './0041-kept-cases.ts';
import { stringSizes } from './0044-string-sizes.ts';
import { clock } from './0047-clock.ts';
import { processHosts } from './0048-process-hosts.ts';
import { endStates } from './0049-end-states.ts';
import { noWholeVectors } from './0050-no-whole-vectors.ts';
import { blocksAnew } from './0051-blocks-anew.ts';
import { hotSessions } from './0052-hot-sessions.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  foundation,
  people,
  sessions,
  webhookDeliveries,
  deviceChannels,
  webhookIndexes,
  faceTokens,
  worlds,
  atRest,
  keyHolder,
  handoffBoxes,
  sealedPeople,
  boundRows,
  watchedSubjects,
  watchedDeltas,
  ageKeys,
  signingKeys,
  watchedFilters,
  watchedEngines,
  consoleTables,
  sessionLists,
  walletLinks,
  review,
  consoleLists,
  activity,
  keyLimits,
  operatorIdentities,
  activityTotals,
  consoleFigures,
  reviewBacklog,
  webhookTries,
  sharedLists,
  processes,
  processKeys,
  nothingYet,
  tokenBlocks,
  nothingStill,
  noBlocksYet,
  ageKeyMints,
  deviceCosts,
  keptCases,
  stringSizes,
  nothingAgain,
  noBlocksAgain,
  clock,
  processHosts,
  endStates,
  noWholeVectors,
  blocksAnew,
  hotSessions,
];
