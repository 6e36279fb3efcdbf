// A sign-in that the device compares itself: its signature is checked, and how often it may go on without the service.
import type { ForgetDeviceReply, ForgetDeviceRequest, LocalSignInReply, LocalSignInRequest } from '@limen/contract';
import type { FaceTokens } from '../../../faces/tokens/open.ts';
import { AppError, invalid } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import { readIndicators } from '../../device/answer.ts';
import type { Signer } from '../../device/signature.ts';
import type { CallHandler, DeviceCalls, TakenCall } from '../../device/take-call.ts';
import type { DeviceWord, PersonDevice, PersonDevices } from '../../proofs/devices.ts';
import { browserLevel } from '../../risk/evaluate.ts';
import type { Debug } from '../debug.ts';
import {
  changeEvidence,
  type Evidence,
  type EvidenceStore,
  forgetKnownDevice,
  readEvidence,
  without,
} from './evidence.ts';
import { requireStep } from './refusals.ts';

interface LocalCallsOptions {
  calls: Pick<DeviceCalls, 'take'>;
  evidence: EvidenceStore;
  tokens: Pick<FaceTokens, 'findPerson' | 'findPersonById'>;
  devices: Pick<PersonDevices, 'verify' | 'countLocalUse' | 'forget'>;
  /** Every how many sign-ins the service compares the face too. */
  localSignIns: number;
  debug: Debug;
}

export function createLocalCalls(options: LocalCallsOptions) {
  const { calls, evidence, tokens, devices, localSignIns, debug } = options;

  return {
    signIn: (sessionId: SessionId, signer: Signer, request: LocalSignInRequest) =>
      calls.take(sessionId, signer, signInHandler(request)),
    forget: (sessionId: SessionId, signer: Signer, request: ForgetDeviceRequest) =>
      calls.take(sessionId, signer, forgetHandler(request)),
  };

  function signInHandler({
    deviceId,
    signature,
    indicators,
  }: LocalSignInRequest): CallHandler<'verification', Evidence, LocalSignInReply> {
    return {
      kind: 'verification',
      async reserve(trx, call) {
        requireStep(call, 'token');
        return readEvidence(evidence, call, trx);
      },
      async work(call, shown) {
        const isDoubtful = indicators ? isHighRisk(indicators) : false;
        const device = await verify(call, 'signIn', deviceId, signature);
        const outcome = device ? await judge(call, device, shown, isDoubtful) : 'refused';
        debug(call.session, 1, { outcome }, 'a device compared a face itself');
        return { outcome };
      },
    };
  }

  async function judge(
    call: TakenCall<'verification'>,
    { id: deviceId, personId }: PersonDevice,
    shown: Evidence,
    isDoubtful: boolean,
  ): Promise<LocalSignInReply['outcome']> {
    const { owner } = call.session;
    const { type, userId } = call.session.contents;
    if (type === 'ENROLL') return 'refused';
    if (userId !== undefined && (await tokens.findPerson(owner, userId))?.personId !== personId) return 'refused';
    // The same call again, after a lost reply, is no second sign-in.
    if (shown.person?.by === 'local' && shown.knownDevice?.deviceId === deviceId) return 'matched';
    const knownDevice = { deviceId, personId };
    const person = isDoubtful ? undefined : await tokens.findPersonById(owner, personId);
    if (!person || !(await devices.countLocalUse(deviceId, localSignIns - 1))) {
      await changeEvidence(evidence, call, (now) => ({ ...now, knownDevice }));
      return 'server_required';
    }
    await changeEvidence(evidence, call, (now) => ({
      ...without(now, 'retryAfter'),
      knownDevice,
      person: { ...person, by: 'local' },
    }));
    return 'matched';
  }

  function forgetHandler({
    deviceId,
    signature,
  }: ForgetDeviceRequest): CallHandler<'verification', void, ForgetDeviceReply> {
    return {
      kind: 'verification',
      reserve: async () => {},
      async work(call) {
        const device = await verify(call, 'forget', deviceId, signature);
        if (!device) throw new AppError('forbidden', 'This device is not known, or the signature is not its own.');
        await devices.forget(call.session.owner, device.id);
        await changeEvidence(evidence, call, (now) => forgetKnownDevice(now, device.id));
        return {};
      },
    };
  }

  function verify(
    { session, plan, planText }: TakenCall<'verification'>,
    word: DeviceWord,
    deviceId: string,
    signature: string,
  ) {
    const statement = { word, sessionId: session.id, nonce: plan.nonce, planText, deviceId };
    return devices.verify(session.owner, statement, Buffer.from(signature, 'base64url'));
  }
}

export type LocalCalls = ReturnType<typeof createLocalCalls>;

/** Where the browser itself is doubtful, its word about a face is not taken. */
function isHighRisk(seen: NonNullable<LocalSignInRequest['indicators']>): boolean {
  const indicators = readIndicators(seen);
  if (!indicators) throw invalid('body.indicators', 'must be names of indicators from the API reference');
  return ['HIGH', 'CRITICAL'].includes(browserLevel(indicators));
}
