// A customer's test key against the delivery log of live sessions.
import { randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { courseReported, sealFor } from '../../course.ts';
import { waitForDelivery } from '../../deliveries.ts';
import { NO_RECEIVER } from '../../host.ts';

const NOTHING_SHOWN = '200, nothing in it';

export const testKeyOnLiveDeliveries: AttackClass = {
  name: 'test-key-on-live-deliveries',
  prevents: 'a test key that reads the delivery log of live sessions or resends their webhooks',
  promise: 'docs/webhooks.md#the-delivery-log',
  needs: 'many keys',
  refusals: [NOTHING_SHOWN, '404 not_found'],
  attempts: 100,
  async begin(stage) {
    const customer = randomUUID();
    const live = await stage.newHost({ kind: 'live', customer });
    const test = await stage.newHost({ kind: 'test', customer });
    const session = await courseReported(stage, live, { callback: { url: NO_RECEIVER } });
    await session.device.answer(session.id, await sealFor(session));
    const { id } = await waitForDelivery(live, session.id);
    expectHonest(id !== undefined, 'a live key sees its own deliveries');
    const lists = ['', '?limit=200', `?sessionId=${session.id}`, '?state=pending'];
    return async (round) => {
      if (round % 2 === 1) return (await test.call('POST', `/v2/webhook-deliveries/${id}/resend`)).label;
      const reply = await test.call('GET', `/v2/webhook-deliveries${inTurn(lists, round >> 1)}`);
      const { deliveries } = reply.json<{ deliveries?: object[] }>();
      return deliveries?.length === 0 ? NOTHING_SHOWN : reply.label;
    };
  },
};
