// The calls by which a session is handed on to another device, and back.
import type {
  DeviceView,
  HandoffDeclineRequest,
  HandoffLook,
  HandoffLookRequest,
  HandoffReply,
  HandoffRequest,
  ReturnCodeRequest,
} from '@limen/contract';
import type { CallOptions } from '../../http/exchange.ts';
import type { DeviceCall } from '../exchange.ts';
import type { DeviceKey } from '../keys/signing.ts';
import type { DeviceSession } from '../session.ts';
import { type CarriedSteps, type Handoff, type HandoffOptions, packHandoff } from './handoff.ts';

export type HandoffCalls = ReturnType<typeof createHandoffCalls>;

/** `privateKey` signs what is carried. */
export function createHandoffCalls(session: DeviceSession, privateKey: DeviceKey) {
  const { send } = session;
  return {
    /**
     * A one-time code with which another device takes the session over, for a QR code, and a number to show beside it. It
     * replaces the one before. What was found goes along, sealed under a key that is in the address alone.
     */
    handoff: ({ began, findings, signal }: HandoffOptions): Promise<Handoff> =>
      session.inTurn(async () => {
        await session.tryReport(signal);
        const { capture } = session;
        // The service lets nothing be carried that was not reported to it as finished.
        const isReported = capture?.log.unreported() === undefined;
        const packed =
          findings && capture && isReported
            ? await packHandoff({ ...capture, log: capture.log.entries(), privateKey }, findings)
            : undefined;
        const json: HandoffRequest = { began, ...(packed && { carried: packed.carried }) };
        const reply = await send<HandoffReply>({ operation: 'handoff', json, signal });
        if (!packed) return { ...reply, carried: [] };
        return { ...reply, url: `${reply.url}.${packed.key}`, carried: packed.carried.steps };
      }),
    /** Who asks and who began it, before this device takes the session over. Changes nothing. */
    look(code: string, { signal }: CallOptions = {}): Promise<HandoffLook> {
      const json: HandoffLookRequest = { code };
      return session.inTurn(() => send({ operation: 'handoff/look', json, signal }));
    },
    /** The person saw none of the numbers, or did not begin this: the code works no more, and its device is told. */
    decline(code: string, { signal }: CallOptions = {}): Promise<void> {
      const json: HandoffDeclineRequest = { code };
      const saysGone: DeviceCall['saysGone'] = (error) => error.code === 'handoff_code_refused';
      return session.inTurn(async () => {
        await send({ operation: 'handoff/decline', json, signal, saysGone });
      });
    },
    /** What the device before has found; undefined without any, without its key, or when it cannot be trusted. */
    carried: (): CarriedSteps | undefined => session.capture?.carried,
    /**
     * The six digits that the other device shows after a success, where the view has `end.returnCodeTriesLeft`; the view
     * that comes back tells where to go. Rejects with `return_code_refused` for a wrong one.
     */
    sendReturnCode(code: string, { signal }: CallOptions = {}): Promise<DeviceView> {
      const json: ReturnCodeRequest = { code };
      return session.inTurn(() => session.sendForView({ operation: 'handoff/return', json, signal }));
    },
  };
}
