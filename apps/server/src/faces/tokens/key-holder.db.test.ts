// Face tokens and their key-holder: its inputs, its audit of people, and its outages.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { rawBytes } from '#testing/faces/folder.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { discard, type OpenTokens, personOf, rowsOf, useTokenPlace } from '#testing/faces/token-place.ts';
import { addPerson, enrollFace, prepareAttempt, signIn, TOKEN_OWNER } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../../packages/token/testing/vectors.ts';
import { createPersonHandles } from '../galleries/person-handles.ts';
import { auditFile } from '../keyholder/audit/chain.ts';
import { KeyHolderUnavailableError } from '../keyholder/link/calls.ts';
import { auditName } from '../keyholder/outcomes.ts';

let keyHolder: LocalKeyHolder;
let open: OpenTokens;
useTokenPlace((given) => ({ keyHolder, open } = given));

describe.skipIf(SKIPS_ENGINE_BLIND)('when the key-holder', () => {
  const away = async () => {
    throw new KeyHolderUnavailableError();
  };

  it('stores nothing while it is away, and the same device succeeds afterward', async () => {
    const process = await open();
    const face = randomVector();
    const person = await addPerson(process, face);
    for (const missing of ['openChallenge', 'begin', 'rows', 'finish'] as const) {
      const other = await open({ keyHolder: { ...keyHolder, [missing]: away } });
      await expect(enrollFace(other, randomVector())).rejects.toBeInstanceOf(KeyHolderUnavailableError);
      await expect(signIn(other, face)).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    }
    expect((await rowsOf(process)).people).toHaveLength(1);
    expect(await signIn(process, face)).toMatchObject({ kind: 'match', puid: person.puid });
  });

  it('finds the person on the next attempt if it goes away after storing them', async () => {
    const process = await open();
    const [face, session] = [randomVector(), process.newSession()];
    const other = await open({ keyHolder: { ...keyHolder, settle: away } });
    await expect(enrollFace(other, face, { session })).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    expect((await rowsOf(process)).people).toMatchObject([{ provisional_session: session }]);
    expect(await enrollFace(process, face, { session })).toMatchObject({ kind: 'new' });
    expect((await rowsOf(process)).people).toHaveLength(1);
  });

  it('throttles an address and reports the waiting time', async () => {
    const process = await open();
    const session = process.newSession();
    const attempt = () => prepareAttempt(process, 'identify', randomVector(), { session });
    for (let nth = 1; nth <= 20; nth++) {
      expect(await process.tokens.identify(await attempt())).toEqual({ kind: 'no_match' });
    }
    await expect(attempt()).rejects.toMatchObject({ name: 'ThrottledError', retryAfter: 60 });
  });
});

describe('a device of a newly enrolled person', () => {
  it('is marked as new to the key-holder, so that fake people count as strangers', async () => {
    const asked: unknown[] = [];
    const openChallenge: LocalKeyHolder['openChallenge'] = (ask) => {
      asked.push(ask.vouched?.isNew);
      return keyHolder.openChallenge(ask);
    };
    const process = await open({ keyHolder: { ...keyHolder, openChallenge } });
    const face = randomVector();
    const { personId } = personOf(await addPerson(process, face));
    const vouchedBy = { personId, deviceId: 'a device' };
    asked.length = 0;
    for (const laterMs of [0, 24 * 3_600_000 - 1, 1]) {
      process.clock.advance(laterMs);
      await prepareAttempt(process, 'identify', face, { vouchedBy });
    }
    expect(asked).toEqual([true, true, false]);
  });
});

describe('a locked person', () => {
  it('looks like a stranger in all calls to key-holder and database during a sign-in', async () => {
    const calls: string[] = [];
    const watched = new Proxy(keyHolder, {
      get(target, name: keyof LocalKeyHolder) {
        const value = target[name];
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          calls.push(name);
          return (value as (...given: unknown[]) => unknown).apply(target, given);
        };
      },
    });
    const process = await open({ keyHolder: watched });
    const face = randomVector();
    const { personId } = personOf(await addPerson(process, face));
    for (let nth = 0; nth < 10; nth++) await signIn(process, randomVector(), personId);
    const seen: unknown[] = [];
    for (const vector of [face, randomVector()]) {
      calls.length = 0;
      const outcome = await signIn(process, vector);
      seen.push([outcome, ...calls]);
      calls.length = 0;
      const refusal = await signIn(process, vector, personId).catch((error: unknown) => error);
      seen.push([refusal, ...calls]);
    }
    expect(seen[0]).toEqual([{ kind: 'no_match' }, 'openChallenge', 'begin', 'rows', 'finish', 'settle']);
    expect(seen[2]).toEqual(seen[0]);
    expect(seen[1]).toEqual([
      expect.objectContaining({ name: 'PersonLockedError', retryAfter: 60 }),
      ...['openChallenge', 'begin', 'rows', 'finish', 'settle'],
    ]);
    expect(seen[3]).toEqual(seen[1]);
    // An enrollment makes the same calls for locked, unlocked and new people.
    for (const [vector, kind] of [
      [face, 'known'],
      [randomVector(), 'new'],
    ] as const) {
      calls.length = 0;
      expect(await enrollFace(process, vector)).toMatchObject({ kind });
      expect(calls).toEqual(['openChallenge', 'begin', 'rows', 'finish', 'adopt', 'settle']);
    }
    keyHolder.clock.advance(60_000);
    expect(await signIn(process, face)).toMatchObject({ kind: 'match', personId });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('lines of the audit', () => {
  interface Line {
    challenge: string;
    person?: string;
    device?: string;
  }
  const namedLines = () =>
    readFileSync(auditFile(keyHolder.folder), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ person, device }) => person !== undefined || device !== undefined);

  it('name a person by a key deleted with them, so that their lines cannot be linked', async () => {
    const process = await open();
    const face = randomVector();
    const { personId, puid } = personOf(await addPerson(process, face));
    const handles = createPersonHandles(process.database, process.sealer);
    await signIn(process, face);
    await signIn(process, randomVector(), personId);
    const vouchedBy = { personId, deviceId: 'a device' };
    await process.tokens.identify(await prepareAttempt(process, 'identify', face, { vouchedBy }));

    const handle = (await handles.ofPerson(personId))!;
    const device = (await handles.ofDevice(personId, 'a device'))!;
    const lines = namedLines();
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      if (line.person) expect(line.person).toBe(auditName(handle, line.challenge));
      if (line.device) expect(line.device).toBe(auditName(device, line.challenge));
    }
    expect(lines.some((line) => line.device)).toBe(true);
    const named = new Set(lines.map(({ challenge, person }) => person && `${challenge} ${person}`));
    expect(new Set([...named].map((pair) => pair?.split(' ')[1])).size).toBe(named.size);

    await process.people.remove(TOKEN_OWNER, puid);
    expect(await handles.ofPerson(personId)).toBeUndefined();
    expect(await process.database.queries.selectFrom('person_keys').selectAll().execute()).toEqual([]);
    const written = rawBytes(keyHolder.folder).toString('latin1');
    for (const name of [personId, puid, handle, device]) expect(written).not.toContain(name);
  });

  it('of an abandoned enrollment cannot be linked either', async () => {
    const process = await open();
    const session = process.newSession();
    const { personId } = personOf(await enrollFace(process, randomVector(), { session }));
    const handles = createPersonHandles(process.database, process.sealer);
    expect(namedLines().at(-1)!.person).toBe(
      auditName((await handles.ofPerson(personId))!, namedLines().at(-1)!.challenge),
    );
    await discard(process, session);
    expect(await handles.ofPerson(personId)).toBeUndefined();
    expect(await process.database.queries.selectFrom('person_keys').selectAll().execute()).toEqual([]);
  });
});
