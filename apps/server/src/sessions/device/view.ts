// Describes a session to a device.
import type { DeviceView } from '@limen/contract';
import { readProgress } from '@limen/plan';
import type { Session } from '../lifecycle/session.ts';
import type { ChannelState } from './channel-state.ts';
import type { SessionFlow } from './flow.ts';
import { findFirstDevice, findRole, sendBack } from './state.ts';

interface ViewSource {
  session: Pick<Session, 'id' | 'state' | 'expiresAt'>;
  flow: SessionFlow;
  record: { state: ChannelState } | undefined;
}

/** `key` is the key of the asking device, or undefined without a signature. */
export function presentView({ session, flow, record }: ViewSource, key: string | undefined, now: number): DeviceView {
  const settings = flow.describe();
  const { locale, enableDesktop, redirectUrl, debugLevel, asks, handoff } = settings;
  const role = record && key !== undefined ? findRole(record.state, key) : 'none';
  const active = role === 'active' ? record?.state : undefined;
  const progress = record && role !== 'none' ? readProgress(record.state.log) : undefined;
  const end = flow.endOf();
  // A stranger with the link learns only the end. Without any claim, a late visitor is still redirected.
  const tellsAll = role !== 'none' || !record;
  const sendsOn = tellsAll && redirectUrl !== undefined;
  const { ageKeyOffer: offer } = end ?? {};
  const isOffered = offer && active && !active.offer.taken && now < offer.until;
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
    ...(active?.wrongNumber && { wrongNumber: true }),
    ...(active?.declined && { handoffDeclined: true }),
    ...(active?.linkRefusal && { walletLinkRefused: active.linkRefusal }),
    ...(end && {
      end: {
        flowStatus: end.flowStatus,
        errors: tellsAll ? [...end.errors] : [],
        ...(sendsOn && (byCode ? sendBack(byCode, key === findFirstDevice(byCode), redirectUrl) : { redirectUrl })),
        ...(isOffered && { ageKeyOffer: { ageOver: offer.ageOver } }),
      },
    }),
  };
}
