// Screening single subjects over HTTP: replies, refusals and their reasons.
import type { MatchReply } from '@limen/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { HEADER, screenSuccessfully } from '#testing/screening/upload.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let app: TestApp;
let database: TestDatabase;
let dispose: () => Promise<void>;

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', {
  names: ['Torvald Eskeland', 'Thorvald Eskelandt'],
  countries: ['no'],
  nationalities: ['no'],
  addresses: ['3 Fjordgata, 7010 Trondheim'],
  positions: ['Harbour master'],
  identifiers: [{ kind: 'passportNumber', value: 'N 1234567' }],
  referents: ['old-1'],
  firstSeen: '2020-05-05',
  lastSeen: '2026-02-02',
  lastChange: '2026-01-01',
});
const SHIP = createListedEntity('ship-1', 'Harbour Lantern', undefined, {
  schema: 'Vessel',
  identifiers: [{ kind: 'imoNumber', value: 'IMO 9074729' }],
});

beforeAll(async () => {
  database = await createTestDatabase();
  await storeList(
    database.dataDir,
    'north',
    [TORVALD, SHIP, createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01')],
    '3',
  );
  const south = [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961', {
      names: ['Torvald Eskeland', 'Zebulon Quist'],
      datasets: ['southern'],
    }),
    createListedEntity('s-2', 'Quorvina Belzanfer', undefined, {
      referents: ['inv-2'],
      datasets: ['southern'],
      countries: ['cl'],
    }),
  ];
  await storeList(database.dataDir, 'south', south, '7');
  app = await startTestApp({ database, atEnd: (end) => (dispose = end) });
});
afterAll(async () => {
  await dispose();
  await database.dispose();
});

const post = (payload: unknown) =>
  app.http.inject({ method: 'POST', url: '/v2/screening/match', payload: payload as object });

async function match(payload: unknown): Promise<MatchReply> {
  const reply = await post(payload);
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${reply.body}`);
  return reply.json();
}
const matchOne = async (subject: object) => (await match({ dataset: 'north', subjects: [subject] })).results[0]!;

describe('a subject', () => {
  it('with unknown fields is screened without them, and they are named', async () => {
    const identifiers = [{ value: 'N1234567', type: 'passport' }];
    const sent = { name: 'Torvald Eskeland', birthdate: '1900-01-01', shoe: 44, 'a b': 1, identifiers };
    const { results } = await match({ dataset: 'north', threshold: 0.1, subjects: [sent] });
    expect(results[0]).toMatchObject({ match: true, score: expect.closeTo(1, 2) });
    expect(results[0]!.warnings).toEqual([
      'Fields that are not known, not compared: birthdate (did you mean birthDate?), shoe, one without a usable name, type.',
    ]);
  });

  it('beside unknown fields is screened without them, and they are named for the call', async () => {
    const { warnings, scoreThreshold } = await match({
      ...{ dataset: 'north', treshold: 0.5, 'a b': 1, subjects: [{ name: 'Torvald Eskeland', dateOfBirth: '1961' }] },
    });
    expect([scoreThreshold, warnings]).toEqual([
      0.95,
      ['Fields that are not known, not read: treshold (did you mean scoreThreshold?), one without a usable name.'],
    ]);
    expect(await match({ dataset: 'north', subjects: [{ name: 'Nobody Here' }] })).not.toHaveProperty('warnings');
  });

  it('has a schema in any case', async () => {
    const [upper, unknown] = await Promise.all([
      matchOne({ schema: 'PERSON', name: 'Torvald Eskeland', birthDate: '1961-04-09' }),
      matchOne({ schema: 'company', name: 'Torvald Eskeland' }),
    ]);
    expect(upper).toMatchObject({ match: true, score: 1 });
    expect(unknown).toMatchObject({ match: false });
  });

  it("returns the list's data and why it matches", async () => {
    const subject = {
      id: 'c-1',
      schema: 'Person',
      name: 'Torvald Eskeland',
      birthDate: '1961-04-09',
      countries: ['NO'],
    };
    const reply = await match({ dataset: 'north', subjects: [subject] });
    expect(reply).toMatchObject({ dataset: 'north', datasetVersion: '3', scoreThreshold: 0.95 });
    const { names: _, weakNames: __, birthDates, ...shown } = TORVALD;
    expect(reply.results).toEqual([
      {
        id: 'c-1',
        match: true,
        score: 1,
        matches: [
          {
            ...shown,
            birthDate: birthDates,
            aliases: ['Thorvald Eskelandt'],
            matchedName: 'Torvald Eskeland',
            score: 1,
            nameScore: 1,
            explanation: {
              name: { detail: 'Torvald: same; Eskeland: same', query: subject.name, candidate: 'Torvald Eskeland' },
              birthDate: { detail: 'same day', query: '1961-04-09', candidate: '1961-04-09' },
              country: { detail: 'same country: no', query: 'no', candidate: 'no' },
            },
          },
        ],
      },
    ]);
  });

  it('scores like a row of a file', async () => {
    const rows = [
      'Torvald,Eskeland,1961-04-09',
      'Thorvald,Eskland,',
      'Tor,Eskeland,1970-01-01',
      'Belzanfer,Quorvina,1980',
    ];
    const file = await screenSuccessfully(app, 'north', HEADER + rows.map((row, at) => `${at},${row}\n`).join(''));
    const subjects = rows.map((row) => {
      const [firstName, lastName, birthDate] = row.split(',');
      return { firstName, lastName, ...(birthDate && { birthDate }) };
    });
    const { results } = await match({ dataset: 'north', subjects });
    expect(results.map(({ score }) => score)).toEqual(file.results.map(({ score }) => score));
  });

  it('is found by an identifier alone', async () => {
    const { match: isMatch, matches } = await matchOne({ identifiers: [{ kind: 'imoNumber', value: '907-4729' }] });
    expect(isMatch).toBe(true);
    expect(matches[0]).toMatchObject({ id: 'ship-1', explanation: { identifier: { detail: 'same IMO number' } } });
  });

  it('below the threshold has its best score, and no match', async () => {
    const { match: isMatch, score, matches } = await matchOne({ name: 'Torvald Eskeland', birthDate: '1974-01-01' });
    expect([isMatch, matches]).toEqual([false, []]);
    expect(score).toBeGreaterThan(0.5);
    expect(score).toBeLessThan(0.95);
  });

  it('without a usable name gets a warning', async () => {
    expect((await matchOne({ name: '???' })).warnings).toEqual([
      'The subject has neither a name nor an identifier that can be screened.',
    ]);
  });

  it('from an unknown country gets a warning that it was not compared', async () => {
    const { warnings, matches } = await matchOne({ name: 'Torvald Eskeland', countries: ['Narnia', 'NOR', 'zz'] });
    expect(warnings).toEqual(['Countries that are not known, not compared: Narnia, zz.']);
    expect(matches[0]?.explanation.country).toMatchObject({ detail: 'same country: no' });
  });

  it('in several lists is shown once, over all of them by default', async () => {
    const reply = await match({ subjects: [{ name: 'Torvald Eskeland' }] });
    expect(reply).toMatchObject({ dataset: 'default', datasetVersion: 'north@3, south@7' });
    expect(reply.results[0]!.matches.map(({ id }) => id)).toEqual(['inv-1']);
  });

  it('found in one list is returned with the data of the other lists', async () => {
    const { results } = await match({ subjects: [{ name: 'Zebulon Quist' }] });
    expect(results[0]!.matches).toMatchObject([
      {
        id: 'inv-1',
        matchedName: 'Zebulon Quist',
        datasets: ['southern', 'invented'],
        birthDate: ['1961', '1961-04-09'],
        countries: ['no'],
        identifiers: [{ kind: 'passportNumber', value: 'N 1234567' }],
        referents: ['old-1'],
      },
    ]);
  });

  it("found by one list's name is certain by another list's identifier", async () => {
    const subject = { name: 'Zebulon Quist', identifiers: [{ value: 'N1234567' }], countries: ['Norway'] };
    const { matches } = (await match({ subjects: [subject] })).results[0]!;
    expect(matches).toMatchObject([
      { id: 'inv-1', matchedName: 'Zebulon Quist', explanation: { identifier: { detail: 'same passport number' } } },
    ]);
    expect(matches[0]!.score).toBeGreaterThan(0.99);
  });

  it("with different ids in two lists is shown once if one names the other's id", async () => {
    const subjects = [{ name: 'Quorvina Belzanfer', birthDate: '1980-12-01' }];
    const shown = { id: 'inv-2', score: 1, datasets: ['invented', 'southern'], countries: ['cl'], referents: ['s-2'] };
    expect((await match({ subjects })).results[0]!.matches).toMatchObject([shown]);
    const { matches } = (await match({ dataset: 'north', subjects })).results[0]!;
    expect(matches).toMatchObject([{ datasets: ['invented'], countries: [], referents: [] }]);
  });

  it('leaves no trace in the log', async () => {
    await matchOne({ name: 'Torvald Eskeland', identifiers: [{ value: 'N1234567' }] });
    for (const value of ['Torvald', 'Eskeland', '1234567']) expect(app.logged()).not.toContain(value);
  });
});

it('is one of up to a hundred, screened in their order', async () => {
  const subjects = Array.from({ length: 100 }, (_, at) => ({
    id: `c-${at}`,
    name: at % 3 === 0 ? 'Torvald Eskeland' : `Nobody Number ${at}`,
  }));
  const { results } = await match({ dataset: 'north', subjects });
  expect(results.map(({ id }) => id)).toEqual(subjects.map(({ id }) => id));
  expect(results.map(({ match: isMatch }) => isMatch)).toEqual(subjects.map((_, at) => at % 3 === 0));
});

describe('is refused with the name of the invalid field', () => {
  const NAMED = { name: 'Torvald Eskeland' };
  it.each<[string, unknown, number, RegExp]>([
    ['no subjects', {}, 400, /subjects/],
    ['an empty list', { subjects: [] }, 400, /subjects/],
    ['more than a hundred', { subjects: Array.from({ length: 101 }, () => NAMED) }, 400, /subjects/],
    ['nothing to search by', { subjects: [NAMED, { birthDate: '1970' }] }, 400, /subjects\.1 needs a name/],
    ['two names', { subjects: [{ ...NAMED, lastName: 'X' }] }, 400, /subjects\.0 has name as well as/],
    ['an invalid schema', { subjects: [{ ...NAMED, schema: 'Human' }] }, 400, /schema.*Person/],
    [
      'an invalid kind of identifier',
      { subjects: [{ identifiers: [{ kind: 'shoe', value: '12345' }] }] },
      400,
      /kind.*imoNumber/,
    ],
    ['a name of 10 kB', { subjects: [{ name: 'x'.repeat(10_240) }] }, 400, /name/],
    ['an unknown dataset', { dataset: 'nowhere', subjects: [NAMED] }, 404, /north/],
  ])('for %s', async (_, payload, status, says) => {
    const reply = await post(payload);
    expect(reply.statusCode).toBe(status);
    expect(reply.json().message).toMatch(says);
  });
});

it('requires a key in a closed area', async () => {
  const closed = await startTestApp({ environment: { REQUIRE_API_KEY: 'sanctions' } });
  const reply = await closed.http.inject({
    method: 'POST',
    url: '/v2/screening/match',
    payload: { subjects: [{ name: 'A B' }] },
  });
  expect(reply.statusCode).toBe(401);
});
