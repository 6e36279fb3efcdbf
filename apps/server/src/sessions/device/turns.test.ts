// A session deleted during a read is reported as missing, not as another device's.
import { expect, it } from 'vitest';
import { named } from '../../platform/base/ids.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import type { AnySession } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { DeviceFlows } from './flow.ts';
import type { ChannelStore } from './store.ts';
import { DeviceTurns, type DeviceTurnsOptions } from './turns.ts';

/** Finds the session, but no channel row. */
function findWithoutRow(state: SessionState) {
  const session = { id: 's', kind: 'age', state, expiresAt: 2 } as AnySession;
  const turns = new DeviceTurns({
    store: { find: async () => undefined } as Partial<ChannelStore> as ChannelStore,
    sessions: { find: async () => session } as Partial<Sessions> as Sessions,
    flows: { age: () => ({}) } as unknown as DeviceFlows,
    clock: { now: () => 1 },
  } as Partial<DeviceTurnsOptions> as DeviceTurnsOptions);
  return turns.find(named('s'));
}

it.each(['opened', 'capturing'] as const)('reports an %s session without a channel row as deleted', async (state) => {
  await expect(findWithoutRow(state)).rejects.toMatchObject({ code: 'not_found' });
});

it.each(['created', 'expired', 'completed'] as const)(
  'accepts that a session that is %s has no channel row',
  async (state) => {
    expect(await findWithoutRow(state)).toMatchObject({ session: { state }, record: undefined });
  },
);
