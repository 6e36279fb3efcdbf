// HTTP of handoffs, from the offer to the code that goes back.
import {
  DeviceView,
  HandoffDeclineRequest,
  HandoffLook,
  HandoffLookRequest,
  HandoffReply,
  HandoffRequest,
  minutesInWords,
  ReturnCodeRequest,
  ref,
} from '@limen/contract';
import { HANDOFF_CODE_TTL_MS } from '../limits.ts';
import type { Handoffs } from './handoff.ts';
import type { AddJsonRoute } from './signed-routes.ts';

export function addHandoffRoutes(post: AddJsonRoute, handoffs: Handoffs): void {
  post(
    'handoff',
    {
      summary: 'Get a code that lets another device take over',
      description: `The code works once, for ${minutesInWords(HANDOFF_CODE_TTL_MS)}; a new one replaces it. What finished steps found may be carried over, sealed under a key that the service does not get.`,
      body: HandoffRequest,
      reply: ref(HandoffReply, 'An address for a QR code, and a number to show beside it.'),
      errors: {
        403: '`forbidden`: the host refuses handoffs, or the session has used up its codes. Or as for the other calls.',
      },
    },
    (id, signer, body) => handoffs.offer(id, signer, body),
  );

  post(
    'handoff/look',
    {
      summary: 'See who started the session, before taking over',
      description: 'Signed with the key that would claim. Changes nothing, and may be repeated.',
      body: HandoffLookRequest,
      reply: ref(HandoffLook, 'What to show the person.'),
      errors: { 403: codeRefused },
    },
    (id, signer, body) => handoffs.look(id, signer, body),
  );

  post(
    'handoff/decline',
    {
      summary: 'Decline a handoff: none of the numbers is shown, or this person did not start it',
      description:
        'Signed with the key that would claim. The code becomes void, the device that made it is told, and the risk gets `HANDOFF_NUMBER_WRONG`. Repeated after a lost reply, it gets `handoff_code_refused`.',
      body: HandoffDeclineRequest,
      reply: ref(DeviceView, 'As for a device that has no part in the session.'),
      errors: { 403: codeRefused },
    },
    (id, signer, body) => handoffs.decline(id, signer, body),
  );

  post(
    'handoff/return',
    {
      summary: 'Send the code shown on the other device',
      description:
        'Verification sessions, after a success, by the device that started the session, if its view has `end.returnCodeTriesLeft`. The same wrong code is not counted twice.',
      body: ReturnCodeRequest,
      reply: ref(DeviceView, 'With `end.redirectUrl`.'),
      errors: {
        403: '`return_code_refused`: the message says how many tries are left. `forbidden`: no code is expected.',
      },
    },
    (id, signer, body) => handoffs.giveBack(id, signer, body),
  );
}

const codeRefused = '`handoff_code_refused`: used, replaced or too old. `third_device`. `device_mismatch`.';
