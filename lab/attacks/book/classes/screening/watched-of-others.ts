// Isolation of watched subjects: other customers, the other world, and decisions on outdated hits.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import type { Host } from '../../host.ts';

const SUBJECTS = '/v2/screening/subjects';
const NOTHING_SHOWN = '200, nothing in it';
/** On the demo list. */
const LISTED = 'Ottokar Brennwälder';
const LOOKS = 100;

interface Watched {
  id: string;
  reference: string;
  hit: { id: string; entryHash: string };
}

async function watchListed(host: Host): Promise<Watched> {
  const reference = `customer-${randomUUID()}`;
  const body = { reference, name: LISTED, dataset: 'demo', scoreThreshold: 0.5 };
  const { id } = (await host.call('POST', SUBJECTS, body)).json<{ id: string }>();
  for (let look = 0; look < LOOKS; look += 1) {
    const { hits } = (await host.call('GET', `${SUBJECTS}/${id}/hits`)).json<{ hits?: Watched['hit'][] }>();
    if (hits?.[0]) return { id, reference, hit: hits[0] };
    await sleep(100);
  }
  throw new Error('the honest way does not work: a listed person who is watched has a hit');
}

const decision = (entryHash: string) => ({
  decision: 'not_this_subject',
  reason: 'somebody else',
  author: 'a stranger',
  entryHash,
});

export const watchedOfOthers: AttackClass = {
  name: 'watched-of-others',
  prevents:
    'another customer, or a key of the other world, that reads, decides on, changes or deletes whom one watches',
  promise: 'docs/watching.md#watch-a-subject',
  needs: 'many keys',
  refusals: [NOTHING_SHOWN, '404 not_found'],
  attempts: 160,
  async begin(stage) {
    const customer = randomUUID();
    const owner = await stage.newHost({ kind: 'live', customer });
    const thieves = [await stage.newHost(), await stage.newHost({ kind: 'test', customer })];
    const { id, reference, hit } = await watchListed(owner);
    const tries: [method: string, path: string, body?: object][] = [
      ['GET', `${SUBJECTS}/${id}`],
      ['GET', `${SUBJECTS}/${id}/hits`],
      ['GET', `${SUBJECTS}/${id}/evidence`],
      ['POST', `${SUBJECTS}/${id}/hits/${hit.id}/decision`, decision(hit.entryHash)],
      ['POST', `${SUBJECTS}/${id}/hits/${hit.id}/decision/withdraw`, { reason: 'mine', author: 'T. Hief' }],
      ['POST', `${SUBJECTS}/find`, { reference }],
      ['DELETE', `${SUBJECTS}/${id}`],
      ['GET', SUBJECTS],
      ['GET', `${SUBJECTS}?limit=100`],
      ['GET', '/v2/screening/alerts'],
      ['GET', `/v2/screening/alerts?subjectId=${id}`],
    ];
    return async (round) => {
      const reply = await inTurn(thieves, round >> 4).call(...inTurn(tries, round));
      if (reply.status !== 200) return reply.label;
      const { subjects, alerts } = reply.json<{ subjects?: object[]; alerts?: object[] }>();
      return (subjects ?? alerts)?.length === 0 ? NOTHING_SHOWN : reply.label;
    };
  },
};

export const decisionsOnOtherEntries: AttackClass = {
  name: 'decisions-on-other-entries',
  prevents: 'a decision that stands for an entry which nobody looked at',
  promise: 'docs/watching.md#decisions',
  needs: 'a test key',
  refusals: ['409 entry_changed', '404 not_found', '400 validation_failed'],
  attempts: 100,
  async begin({ host }) {
    const { id, hit } = await watchListed(host);
    const other = await watchListed(host);
    const path = `${SUBJECTS}/${id}/hits/${hit.id}/decision`;
    const tries: [path: string, body: object][] = [
      [path, decision('0'.repeat(64))],
      [path, decision(hit.entryHash.toUpperCase())],
      [path, decision(hit.entryHash.slice(0, -1))],
      [path, { ...decision(hit.entryHash), decision: 'confirmed, all of them' }],
      [path, { ...decision(hit.entryHash), author: '' }],
      // A hit of another subject of the same customer.
      [`${SUBJECTS}/${id}/hits/${other.hit.id}/decision`, decision(other.hit.entryHash)],
      [`${SUBJECTS}/${id}/hits/${randomUUID()}/decision`, decision(hit.entryHash)],
    ];
    const honest = await host.call(
      'POST',
      `${SUBJECTS}/${other.id}/hits/${other.hit.id}/decision`,
      decision(other.hit.entryHash),
    );
    expectHonest(honest.status === 200, 'a decision on the entry that was read');
    return async (round) => {
      const [where, body] = inTurn(tries, round);
      return (await host.call('POST', where, body)).label;
    };
  },
};
