// What a device is shown of its session.

import type { DeviceView } from '@limen/contract';
import { progressOf } from '@limen/plan';
import type { Session } from '../lifecycle/session.ts';
import type { Found } from './find-channel.ts';
import { sendBack } from './handoff-state.ts';
import { firstDeviceOf, roleOf } from './state.ts';
import type { ChannelRecord } from './store.ts';

interface Seen extends Pick<Found, 'flow'> {
  session: Pick<Session, 'id' | 'state' | 'expiresAt'>;
  record: Pick<ChannelRecord, 'state'> | undefined;
}

/** `key` is of the device that asks; undefined when it did not sign. */
export function viewOf({ session, flow, record }: Seen, key: string | undefined, now: number): DeviceView {
  const settings = flow.describe();
  const { locale, enableDesktop, redirectUrl, debugLevel, asks, handoff } = settings;
  const role = record && key !== undefined ? roleOf(record.state, key) : 'none';
  const progress = record && role !== 'none' ? progressOf(record.state.log) : undefined;
  const end = flow.endOf();
  // A stranger with the link learns how it ended and no more; but whoever comes too late must be sent on.
  const tellsAll = role !== 'none' || !record;
  const sendsOn = tellsAll && redirectUrl !== undefined;
  const { ageKeyOffer: offer } = end ?? {};
  const isOffered = offer && role === 'active' && !record?.state.offer.taken && now < offer.until;
  const byCode = settings.returnsByCode ? record?.state : undefined;
  return {
    sessionId: session.id,
    state: session.state,
    expiresAt: new Date(session.expiresAt).toISOString(),
    serverTime: new Date(now).toISOString(),
    locale,
    enableDesktop,
    ...(debugLevel && { debugLevel }),
    asks,
    role,
    ...(progress && { progress }),
    handoff: handoff === 'refuse' ? 'refused' : 'offered',
    ...(role === 'active' && record?.state.wrongNumber && { wrongNumber: true }),
    ...(role === 'active' && record?.state.declined && { handoffDeclined: true }),
    ...(role === 'active' && record?.state.linkRefusal && { walletLinkRefused: record.state.linkRefusal }),
    ...(end && {
      end: {
        flowStatus: end.flowStatus,
        errors: tellsAll ? [...end.errors] : [],
        ...(sendsOn && (byCode ? sendBack(byCode, key === firstDeviceOf(byCode), redirectUrl) : { redirectUrl })),
        ...(isOffered && { ageKeyOffer: { ageOver: offer.ageOver } }),
      },
    }),
  };
}
