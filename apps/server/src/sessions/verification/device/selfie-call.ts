// The selfie that the host asked for: opened, looked at only to see that it is a JPEG, and sealed until the end.

import type { SelfieReply } from '@limen/contract';
import { SELFIE_MAX_BYTES, SELFIE_SENDS } from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Signer } from '../../device/signature.ts';
import type { StepParts } from './evidence.ts';
import { requireStep } from './refusals.ts';

const LABEL = 'limen-selfie-v1';
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

export type SendSelfie = (sessionId: SessionId, signer: Signer, envelope: Buffer) => Promise<SelfieReply>;

export function createSelfieCall({ calls, evidence, debug }: StepParts): SendSelfie {
  return (sessionId, signer, envelope) =>
    calls.take(sessionId, signer, {
      kind: 'verification',
      async reserve(trx, call) {
        if (!requireStep(call, 'token').sendsSelfie) {
          throw new AppError('forbidden', 'Nobody asked for a selfie in this session.');
        }
        const before = await evidence.read(trx, call);
        if (before.selfies >= SELFIE_SENDS) throw new AppError('forbidden', 'This session accepts no more selfies.');
        await evidence.save(trx, call.session.id, { ...before, selfies: before.selfies + 1 });
      },
      async work(call) {
        const jpeg = call.open(envelope, LABEL);
        const isJpeg = jpeg?.subarray(0, JPEG_START.length).equals(JPEG_START);
        if (!jpeg || !isJpeg || jpeg.length > SELFIE_MAX_BYTES) {
          throw new AppError('malformed_request', 'The body must be a JPEG, sealed for this session and its plan.');
        }
        await call.keep((trx) => evidence.saveSelfie(trx, call.session.id, call.plan.nonce, jpeg));
        debug(call.session, 2, { bytes: jpeg.length }, 'a selfie came');
        jpeg.fill(0);
        return {};
      },
    });
}
