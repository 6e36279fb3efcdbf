// A reply that would be too large has all results, with less detail in the later ones.
import { emptyEntity } from '@limen/screening';
import { expect, it } from 'vitest';
import { createReplyRoom } from './match-route.ts';

it('returns full entities until the size limit, and only names after it', () => {
  const entity = {
    ...emptyEntity('a', 'Person'),
    caption: 'Maria Beispiel',
    names: ['Maria Beispiel', 'Mary Example'],
    addresses: ['x'.repeat(40)],
    topics: ['sanction'],
  };
  const fit = createReplyRoom(100);
  expect([fit(entity), fit(entity)]).toEqual([entity, { ...entity, names: ['Maria Beispiel'], addresses: [] }]);
});
