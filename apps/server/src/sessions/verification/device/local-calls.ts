// A sign-in that the device compares itself: verifies its signature and limits how often the service is left out.
import type { ForgetDeviceReply, ForgetDeviceRequest, LocalSignInReply, LocalSignInRequest } from '@limen/contract';
import { AppError, invalid } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import { readIndicators } from '../../device/read-answer.ts';
import type { Signer } from '../../device/signature.ts';
import type { AcceptedCall } from '../../device/take-call.ts';
import type { DeviceProtocol, PersonDevice } from '../../proofs/devices.ts';
import { browserLevel } from '../../risk/evaluate.ts';
import { forgetKnownDevice, type StepParts, type VerificationEvidence, without } from './evidence.ts';
import { requireStep } from './refusals.ts';

/** One of `localSignIns` sign-ins needs a comparison by the service. */
export function createLocalCalls({ calls, evidence, tokens, devices, debug }: StepParts, localSignIns: number) {
  return {
    signIn: (sessionId: SessionId, signer: Signer, request: LocalSignInRequest): Promise<LocalSignInReply> =>
      calls.take(sessionId, signer, {
        kind: 'verification',
        async reserve(trx, call) {
          requireStep(call, 'token');
          return evidence.read(trx, call);
        },
        async work(call, shown) {
          const isDoubtful = request.indicators ? isHighRisk(request.indicators) : false;
          const device = await verify(call, 'signIn', request);
          const outcome = device ? await judge(call, device, shown, isDoubtful) : 'refused';
          debug(call.session, 1, { outcome }, 'a device compared a face itself');
          return { outcome };
        },
      }),

    forget: (sessionId: SessionId, signer: Signer, request: ForgetDeviceRequest): Promise<ForgetDeviceReply> =>
      calls.take(sessionId, signer, {
        kind: 'verification',
        reserve: async () => {},
        async work(call) {
          const device = await verify(call, 'forget', request);
          if (!device) throw new AppError('forbidden', 'This device is not known, or the signature is not its own.');
          await devices.forget(call.session.owner, device.id);
          await evidence.change(call, (now) => forgetKnownDevice(now, device.id));
          return {};
        },
      }),
  };

  async function judge(
    call: AcceptedCall<'verification'>,
    { id: deviceId, personId }: PersonDevice,
    shown: VerificationEvidence,
    isDoubtful: boolean,
  ): Promise<LocalSignInReply['outcome']> {
    const { owner } = call.session;
    const { type, userId } = call.session.contents;
    if (type === 'ENROLL') return 'refused';
    if (userId !== undefined && (await tokens.findPerson(owner, userId))?.personId !== personId) return 'refused';
    // A repeated call after a lost reply is no second sign-in.
    if (shown.person?.by === 'local' && shown.knownDevice?.deviceId === deviceId) return 'matched';
    const knownDevice = { deviceId, personId };
    const person = isDoubtful ? undefined : await tokens.findPersonById(owner, personId);
    if (!person || !(await devices.countLocalUse(deviceId, localSignIns - 1))) {
      await evidence.change(call, (now) => ({ ...now, knownDevice }));
      return 'server_required';
    }
    await evidence.change(call, (now) => ({
      ...without(now, 'retryAfter'),
      knownDevice,
      person: { ...person, by: 'local' },
    }));
    return 'matched';
  }

  function verify(
    { session, plan, planText }: AcceptedCall<'verification'>,
    word: DeviceProtocol,
    { deviceId, signature }: ForgetDeviceRequest,
  ) {
    const statement = { word, sessionId: session.id, nonce: plan.nonce, planText, deviceId };
    return devices.verify(session.owner, statement, Buffer.from(signature, 'base64url'));
  }
}

export type LocalCalls = ReturnType<typeof createLocalCalls>;

/** A suspicious browser is not trusted with a comparison. */
function isHighRisk(seen: NonNullable<LocalSignInRequest['indicators']>): boolean {
  const indicators = readIndicators(seen);
  if (!indicators) throw invalid('body.indicators', 'must be names of indicators from the API reference');
  return ['HIGH', 'CRITICAL'].includes(browserLevel(indicators));
}
