// Calls that hand a session over to another device and back.
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

/** `privateKey` signs the carried box. */
export function createHandoffCalls(session: DeviceSession, privateKey: DeviceKey) {
  const { send } = session;
  return {
    /**
     * Creates a one-time code for the QR code with which another device takes over the session, and
     * the number to show next to it. Voids the previous code. Findings are carried along, sealed
     * with a key that only the URL contains.
     */
    handoff: ({ began, findings, signal }: HandoffOptions): Promise<Handoff> =>
      session.inTurn(async () => {
        await session.tryReport(signal);
        const { capture } = session;
        // The service only accepts carried steps that were reported as finished.
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
    /** Returns the requester and the initiating device. Changes nothing. */
    look(code: string, { signal }: CallOptions = {}): Promise<HandoffLook> {
      const json: HandoffLookRequest = { code };
      return session.inTurn(() => send({ operation: 'handoff/look', json, signal }));
    },
    /**
     * Declines the handoff, because the person did not see the number or did not start it. Voids
     * the code and notifies its device.
     */
    decline(code: string, { signal }: CallOptions = {}): Promise<void> {
      const json: HandoffDeclineRequest = { code };
      const saysGone: DeviceCall['saysGone'] = (error) => error.code === 'handoff_code_refused';
      return session.inTurn(async () => {
        await send({ operation: 'handoff/decline', json, signal, saysGone });
      });
    },
    /** Findings of the previous device. Undefined without their key or if not trustworthy. */
    carried: (): CarriedSteps | undefined => session.capture?.carried,
    /**
     * Sends the six digits that the other device shows after a success, if the view has
     * `end.returnCodeTriesLeft`. The returned view has the redirect. Rejects with
     * `return_code_refused` for a wrong code.
     */
    sendReturnCode(code: string, { signal }: CallOptions = {}): Promise<DeviceView> {
      const json: ReturnCodeRequest = { code };
      return session.inTurn(() => session.sendForView({ operation: 'handoff/return', json, signal }));
    },
  };
}
