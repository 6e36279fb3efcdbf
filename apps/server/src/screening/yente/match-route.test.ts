// A reply that would be too large has all results, the later ones with less of each.
import { emptyEntity } from '@limen/screening';
import { expect, it } from 'vitest';
import { createReplyRoom } from './match-route.ts';

it('hands entities on whole until there is no room, and then by name', () => {
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
