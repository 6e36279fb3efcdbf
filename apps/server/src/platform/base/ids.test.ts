// Ids are valid, monotonic version 7 UUIDs. Each id type names one kind of thing.
import { expect, it } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds, isUuid, named, type PersonId, type Puid, type SessionId, type SessionToken } from './ids.ts';

it('creates version 7 UUIDs that contain their time', () => {
  const clock = createManualClock(Date.UTC(2026, 10, 15));
  const id = createIds(clock).sortable();
  expect(isUuid(id)).toBe(true);
  expect(id[14]).toBe('7');
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(clock.now());
});

it('stays monotonic within a millisecond, on counter overflow and when the clock jumps back', () => {
  const clock = createManualClock();
  const ids = createIds(clock);
  const made: string[] = [];
  for (let index = 0; index < 10_000; index++) {
    made.push(ids.sortable());
    if (index === 5_000) clock.advance(-3_600_000);
    if (index === 7_500) clock.advance(7_200_000);
  }
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

it("does not accept a plain string or another type's id", () => {
  const nameOfSession = (id: SessionId): string => id;
  const [session, token] = [named<SessionId>('a'), named<SessionToken>('b')];
  const [person, puid] = [named<PersonId>('c'), named<Puid>('d')];
  expect(nameOfSession(session)).toBe('a');
  // @ts-expect-error: a token is the credential for a session, and not what it is called
  nameOfSession(token);
  // @ts-expect-error: a person is no session
  nameOfSession(person);
  // @ts-expect-error: and neither is what hosts call them
  nameOfSession(puid);
  // @ts-expect-error: an unchecked string is not an id
  nameOfSession('e');
  // @ts-expect-error: a name does not become the name of something else
  named<SessionId>(person);
  // @ts-expect-error: what hosts call a person is not the person's id
  const id: PersonId = puid;
  expect(id).toBe('d');
});
