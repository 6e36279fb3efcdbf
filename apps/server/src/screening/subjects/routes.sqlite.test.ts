// Watching subjects over HTTP: matches, alerts, decisions, exports and their visibility.

import type {
  ScreeningAlertPage,
  SubjectEvidence,
  WatchedHits,
  WatchedSubject,
  WatchedSubjectPage,
} from '@limen/contract';
import { verifyWebhook } from '@limen/sdk';
import { describe, expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { newWatchingHost, useWatchingApp, type WatchingHost } from '#testing/screening/watching-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { named } from '../../platform/base/ids.ts';

const room = useWatchingApp({
  north: [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', { programs: ['HARBOUR'] }),
    createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01'),
  ],
});
const SUBJECTS = '/v2/screening/subjects';
const TORVALD = {
  reference: 'c-1',
  schema: 'Person',
  name: 'Torvald Eskeland',
  birthDate: '1961-04-09',
  dataset: 'north',
};
const NOBODY = { ...TORVALD, name: 'Somebody Else Entirely', birthDate: '1990-01-01' };

const hitsOf = async (host: WatchingHost, id: string) =>
  (await host.call<WatchedHits>('GET', `${SUBJECTS}/${id}/hits`)).body.hits;
const alertsOf = async (host: WatchingHost, query = '') =>
  (await host.call<ScreeningAlertPage>('GET', `/v2/screening/alerts${query}`)).body.alerts;

describe('an Idempotency-Key', () => {
  const send = async ({ apiKey }: WatchingHost, url: string, payload: object) => {
    const headers = { 'x-api-key': apiKey, 'idempotency-key': 'k-1' };
    const reply = await room.app.http.inject({ method: 'POST', url, headers, payload });
    return { status: reply.statusCode, code: reply.headers['x-error-code'], body: reply.json() };
  };

  it('returns the first reply of a subject, refuses another body, and is released with the subject', async () => {
    const host = await newWatchingHost(room);
    const first = await send(host, SUBJECTS, TORVALD);
    expect(first.status).toBe(201);
    await room.work();
    expect(await send(host, SUBJECTS, TORVALD)).toEqual(first);
    expect(await send(host, SUBJECTS, NOBODY)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    await host.call('DELETE', `${SUBJECTS}/${first.body.id}`);
    expect(await send(host, SUBJECTS, NOBODY)).toMatchObject({ status: 201 });
  });

  it('withdraws once; without the key, a withdrawn decision is not found', async () => {
    const host = await newWatchingHost(room);
    const id = await host.watch(TORVALD);
    await room.work();
    const [hit] = await hitsOf(host, id);
    const url = `${SUBJECTS}/${id}/hits/${hit!.id}/decision`;
    const why = { reason: 'The wrong passport.', author: 'B. Analyst' };
    expect(await host.call('POST', `${url}/withdraw`, why)).toMatchObject({ status: 404 });
    const made = { decision: 'confirmed', reason: 'The same.', author: 'A. Analyst', entryHash: hit!.entryHash };
    await host.call('POST', url, made);
    const first = await send(host, `${url}/withdraw`, why);
    expect([first.status, first.body]).toEqual([200, hit]);
    expect(await send(host, `${url}/withdraw`, why)).toEqual(first);
    expect(await host.call('POST', `${url}/withdraw`, why)).toMatchObject({ status: 404 });
    const { body } = await host.call<SubjectEvidence>('GET', `${SUBJECTS}/${id}/evidence`);
    expect(body.history.slice(1)).toMatchObject([
      { kind: 'decision', decision: { author: 'A. Analyst' } },
      { kind: 'withdrawal', ...why, decision: { author: 'A. Analyst' } },
    ]);
  });

  it('decides once', async () => {
    const host = await newWatchingHost(room);
    const id = await host.watch(TORVALD);
    await room.work();
    const [hit] = await hitsOf(host, id);
    const made = { decision: 'confirmed', reason: 'The same.', author: 'A. Analyst', entryHash: hit!.entryHash };
    const url = `${SUBJECTS}/${id}/hits/${hit!.id}/decision`;
    const first = await send(host, url, made);
    expect(first).toMatchObject({ status: 200, body: { decision: { decision: 'confirmed' } } });
    expect(await send(host, url, made)).toEqual(first);
    expect(await send(host, url, { ...made, decision: 'not_this_subject' })).toMatchObject({ status: 422 });
    const { body } = await host.call<SubjectEvidence>('GET', `${SUBJECTS}/${id}/evidence`);
    expect(body.history.filter(({ kind }) => kind === 'decision')).toHaveLength(1);
  });
});

describe('a subject', () => {
  it('with unknown fields is accepted without them, with a warning in the reply', async () => {
    const host = await newWatchingHost(room);
    const sent = { ...TORVALD, id: 'x', scoreTreshold: 0.5, identifiers: [{ value: 'N1234567', issuer: 'no' }] };
    const added = await host.call<WatchedSubject>('POST', SUBJECTS, sent);
    expect([added.status, added.body]).toMatchObject([
      201,
      { scoreThreshold: 0.95, identifiers: [{ value: 'N1234567' }] },
    ]);
    const ignored = 'is not a known field and was ignored';
    expect(added.body.warnings).toEqual([
      { path: 'body.id', message: ignored },
      { path: 'body.scoreTreshold', message: `${ignored} (did you mean scoreThreshold?)` },
      { path: 'body.identifiers.0.issuer', message: ignored },
    ]);
    const read = await host.call<WatchedSubject>('GET', `${SUBJECTS}/${added.body.id}`);
    expect(read.body.warnings).toBeUndefined();
    expect(read.body.identifiers).toEqual([{ value: 'N1234567' }]);
    const known = { ...TORVALD, identifiers: [{ value: 'N1234567' }] };
    const again = await host.call<WatchedSubject>('POST', SUBJECTS, known);
    expect(again.body.changedAt).toBe(added.body.changedAt);
  });

  it('that is only partly screened has a warning whenever it is read', async () => {
    const host = await newWatchingHost(room);
    const name = `${'Bax Cex Dix Fox Gux Hax Jex Kix Lox Mux Nax Pex '.trim()} Torvald Eskeland`;
    const added = await host.call<WatchedSubject>('POST', SUBJECTS, {
      ...TORVALD,
      name,
      identifiers: [{ value: '12' }],
    });
    expect(added.status).toBe(201);
    expect(added.body.warnings).toEqual([
      { path: 'subject', message: expect.stringMatching(/more than 12 parts/) },
      { path: 'subject', message: 'Identifiers too short or too general to tell anybody, not compared: 1.' },
    ]);
    const read = await host.call<WatchedSubject>('GET', `${SUBJECTS}/${added.body.id}`);
    expect(read.body.warnings).toEqual(added.body.warnings);
  });

  it('is screened, and returned with its matches and explanations', async () => {
    const host = await newWatchingHost(room);
    const added = await host.call<WatchedSubject>('POST', SUBJECTS, TORVALD);
    expect([added.status, added.body]).toEqual([
      201,
      {
        ...TORVALD,
        id: expect.any(String),
        scoreThreshold: 0.95,
        state: 'due',
        hits: 0,
        createdAt: expect.any(String),
        changedAt: expect.any(String),
      },
    ]);
    await room.work();
    const { body } = await host.call<WatchedSubject>('GET', `${SUBJECTS}/${added.body.id}`);
    expect(body).toMatchObject({ state: 'screened', hits: 1, screenedAt: expect.any(String) });
    expect(await hitsOf(host, body.id)).toMatchObject([
      {
        list: 'north',
        listVersion: '1',
        match: { id: 'inv-1', score: 1, explanation: { birthDate: { detail: 'same day' } } },
      },
    ]);
    expect(await alertsOf(host)).toMatchObject([
      { kind: 'new', subjectId: body.id, reference: 'c-1', match: { id: 'inv-1' } },
    ]);
    expect((await host.call<WatchedSubject>('POST', `${SUBJECTS}/find`, { reference: 'c-1' })).body).toEqual(body);
  });

  it('is unchanged when sent again, and screened again when changed, which removes hits that no longer match', async () => {
    const host = await newWatchingHost(room);
    const id = await host.watch(TORVALD);
    await room.work();
    const again = await host.call<WatchedSubject>('POST', SUBJECTS, TORVALD);
    expect([again.status, again.body.state, again.body.id]).toEqual([200, 'screened', id]);
    expect(await host.watch(NOBODY)).toBe(id);
    await room.work();
    expect(await hitsOf(host, id)).toEqual([]);
    expect((await alertsOf(host)).map(({ kind, match, because }) => [kind, match.id, because])).toEqual([
      ['removed', 'inv-1', ['subject']],
      ['new', 'inv-1', undefined],
    ]);
  });

  it('has a schema in any case, and is the same subject in each', async () => {
    const host = await newWatchingHost(room);
    const [first, again] = [
      await host.call<WatchedSubject>('POST', SUBJECTS, { ...TORVALD, schema: 'person' }),
      await host.call<WatchedSubject>('POST', SUBJECTS, { ...TORVALD, schema: 'Person' }),
    ];
    expect([first.status, first.body.schema]).toEqual([201, 'Person']);
    expect([again.status, again.body.id, again.body.changedAt]).toEqual([200, first.body.id, first.body.changedAt]);
  });

  it('added twice at the same moment is one', async () => {
    const host = await newWatchingHost(room);
    const replies = await Promise.all([1, 2, 3, 4].map(() => host.call<WatchedSubject>('POST', SUBJECTS, TORVALD)));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
    await room.work();
    expect(await alertsOf(host)).toHaveLength(1);
  });

  it('is listed in pages, each once, newest first', async () => {
    const host = await newWatchingHost(room);
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push(await host.watch({ ...NOBODY, reference: `r-${nth}` }));
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body }: { body: WatchedSubjectPage } = await host.call('GET', `${SUBJECTS}?limit=2${cursor}`);
      seen.push(...body.subjects.map(({ id }) => id));
      cursor = body.nextCursor === undefined ? undefined : `&cursor=${body.nextCursor}`;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  it('is deleted with its hits, alerts and webhooks', async () => {
    const host = await newWatchingHost(room);
    const receiver = await startReceiver(() => 200);
    const id = await host.watch({ ...TORVALD, callback: { url: receiver.url } });
    await room.work();
    await receiver.arrived(1);
    expect((await host.call('DELETE', `${SUBJECTS}/${id}`)).status).toBe(204);
    expect((await host.call('DELETE', `${SUBJECTS}/${id}`)).status).toBe(404);
    expect((await host.call('GET', `${SUBJECTS}/${id}`)).status).toBe(404);
    expect(await alertsOf(host)).toEqual([]);
    const { queries } = room.app.database;
    for (const rows of [
      queries
        .selectFrom('watched_hits')
        .select('id')
        .where('subject_id', '=', id as never),
      queries
        .selectFrom('screening_alerts')
        .select('id')
        .where('subject_id', '=', id as never),
      queries
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('session_id', '=', id as never),
    ]) {
      expect(await rows.execute()).toEqual([]);
    }
  });

  it('leaves nothing readable in the database and nothing in the log', async () => {
    const host = await newWatchingHost(room);
    await host.watch({ ...TORVALD, reference: 'a-telling-reference' });
    await room.work();
    const { queries } = room.app.database;
    const rows = [
      await queries.selectFrom('watched_subjects').selectAll().execute(),
      await queries.selectFrom('watched_hits').selectAll().execute(),
      await queries.selectFrom('screening_alerts').selectAll().execute(),
    ].flat();
    const text = rows.flatMap((row) =>
      Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      ),
    );
    for (const value of ['Torvald', 'Eskeland', 'a-telling-reference', 'inv-1']) {
      expect(text.join('\n')).not.toContain(value);
      expect(room.app.logged()).not.toContain(value);
    }
  });
});

describe('an import', () => {
  const send = (host: WatchingHost, type: string, payload: string, query = '?dataset=north', headers = {}) =>
    room.app.http.inject({
      method: 'POST',
      url: `${SUBJECTS}/import${query}`,
      headers: { 'x-api-key': host.apiKey, 'content-type': type, ...headers },
      payload,
    });

  it('with a misspelled parameter is refused with the known ones, and imports nothing', async () => {
    const host = await newWatchingHost(room);
    const reply = await send(host, 'text/csv', 'reference,name\na,Torvald Eskeland\n', '?datset=north');
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'query has no parameter datset (did you mean dataset?); it may have dataset, scoreThreshold',
    ]);
    expect((await host.call('GET', `${SUBJECTS}/count`)).body).toMatchObject({ total: 0 });
  });

  it('answers a repeated call like the first one, and refuses another file under the same key', async () => {
    const host = await newWatchingHost(room);
    const again = (payload: string) => send(host, 'text/csv', payload, '', { 'idempotency-key': 'portfolio-of-March' });
    const first = await again('reference,name\na,Torvald Eskeland\n');
    expect([first.statusCode, first.json()]).toMatchObject([200, { added: 1, unchanged: 0 }]);
    expect((await again('reference,name\na,Torvald Eskeland\n')).json()).toEqual(first.json());
    expect((await again('reference,name\nb,Torvald Eskeland\n')).statusCode).toBe(422);
    expect((await host.call('GET', `${SUBJECTS}/count`)).body).toMatchObject({ total: 1 });
  });

  it('refuses lines with unknown fields on request', async () => {
    const host = await newWatchingHost(room);
    const lines = '{"reference":"a","name":"Torvald Eskeland","dateOfBrith":"1961"}\n{"reference":"b","name":"Ada"}\n';
    const strict = await send(host, 'application/x-ndjson', lines, '', { prefer: 'handling=strict' });
    expect(strict.json()).toMatchObject({ added: 1, refused: 1, problems: [{ line: 1 }] });
    expect(strict.json().problems[0].message).toContain('dateOfBrith (did you mean birthDate?)');
  });

  it('signs alerts with the key that last wrote the subject, even without a change (docs/runbooks.md)', async () => {
    const [leaked, next] = [await newWatchingHost(room, 'test', 'shop'), await newWatchingHost(room, 'test', 'shop')];
    const subject = { reference: 'r', name: 'Torvald Eskeland' };
    const id = await leaked.watch(subject);
    expect(await next.watch(subject)).toBe(id);
    const row = await room.app.database.queries
      .selectFrom('watched_subjects')
      .select('api_key_id')
      .where('id', '=', named(id))
      .executeTakeFirstOrThrow();
    expect(row.api_key_id).toBe((await room.app.apiKeys.authenticate(next.apiKey))!.id);
  });

  it('watches all valid lines, and reports the progress of the screening', async () => {
    const host = await newWatchingHost(room);
    const csv = await send(host, 'text/csv; charset=utf-8', 'reference,name\na,Torvald Eskeland\nb,\n');
    expect([csv.statusCode, csv.json()]).toMatchObject([200, { added: 1, refused: 1, problems: [{ line: 3 }] }]);
    const lines = await send(
      host,
      'application/x-ndjson',
      '{"reference":"a","name":"Torvald Eskeland"}\n{"reference":1}',
    );
    expect(lines.json()).toMatchObject({
      unchanged: 1,
      refused: 1,
      problems: [{ line: 2, message: 'reference must be a string' }],
    });
    expect((await host.call('GET', `${SUBJECTS}/count`)).body).toEqual({
      total: 1,
      due: 1,
      withoutList: 0,
      outdated: 0,
    });
    await room.work();
    expect((await host.call('GET', `${SUBJECTS}/count`)).body).toEqual({
      total: 1,
      due: 0,
      withoutList: 0,
      outdated: 0,
    });
    expect(await alertsOf(host)).toHaveLength(1);
  });

  it('is refused if it is not such a file, and requires its key', async () => {
    const host = await newWatchingHost(room);
    const json = await send(host, 'application/json', '{}');
    expect([json.statusCode, json.json().message]).toEqual([415, expect.stringMatching(/x-ndjson or text\/csv/)]);
    const nowhere = await send(host, 'text/csv', 'reference,name\nc-1,A B\n', '?dataset=nope');
    expect([nowhere.statusCode, nowhere.json().message]).toEqual([404, expect.stringMatching(/There are .*north/)]);
    expect((await send(host, 'text/csv', 'name\nA B\n')).statusCode).toBe(400);
    expect((await send(host, 'text/csv', 'reference\n', '?scoreThreshold=2')).statusCode).toBe(400);
    expect((await send({ ...host, apiKey: 'unknown' }, 'text/csv', 'reference\n')).statusCode).toBe(401);
  });
});

describe('an alert', () => {
  it('is sent as a signed webhook once', async () => {
    const host = await newWatchingHost(room);
    const receiver = await startReceiver(() => 200);
    const callback = { url: receiver.url, headers: { 'x-mine': 'yes' } };
    const id = await host.watch({ ...TORVALD, callback });
    await room.work();
    await host.watch({ ...NOBODY, callback });
    await room.work();
    await receiver.arrived(2);
    const now = () => room.clock.now();
    const told = await Promise.all(
      receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, host.apiKey, { now })),
    );
    expect(told.map(({ event, body }) => [event, body])).toMatchObject([
      [
        'screening.hit.new',
        { event: 'screening.hit.new', subjectId: id, reference: 'c-1', list: 'north', match: { id: 'inv-1' } },
      ],
      [
        'screening.hit.removed',
        {
          event: 'screening.hit.removed',
          subjectId: id,
          because: ['subject'],
          entryHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    ]);
    expect(receiver.received[0]!.headers['x-mine']).toBe('yes');
    const [removed, fresh] = await alertsOf(host);
    expect(told.map(({ body }) => (body as { id: string }).id)).toEqual([fresh!.id, removed!.id]);
  });

  it('is listed in pages, for all subjects or one', async () => {
    const host = await newWatchingHost(room);
    const [one, other] = [
      await host.watch(TORVALD),
      await host.watch({ reference: 'c-2', name: 'Quorvina Belzanfer', dataset: 'north' }),
    ];
    await room.work();
    expect(await alertsOf(host)).toHaveLength(2);
    expect((await alertsOf(host, `?subjectId=${other}`)).map(({ subjectId }) => subjectId)).toEqual([other]);
    const first = (await host.call<ScreeningAlertPage>('GET', '/v2/screening/alerts?limit=1')).body;
    const rest = await alertsOf(host, `?limit=1&cursor=${first.nextCursor}`);
    expect([...first.alerts, ...rest].map(({ subjectId }) => subjectId).toSorted()).toEqual([one, other].toSorted());
  });
});

describe('a decision', () => {
  const DECISION = { decision: 'not_this_subject', reason: 'Another passport <b>', author: 'A. Analyst' };

  it('is part of the hit, kept in the evidence, and lapses when the hit does', async () => {
    const host = await newWatchingHost(room);
    const id = await host.watch(TORVALD);
    await room.work();
    const [hit] = await hitsOf(host, id);
    const decided = await host.call('POST', `${SUBJECTS}/${id}/hits/${hit!.id}/decision`, {
      ...DECISION,
      entryHash: hit!.entryHash,
    });
    expect([decided.status, decided.body]).toMatchObject([200, { id: hit!.id, decision: DECISION }]);
    expect((await hitsOf(host, id))[0]!.decision).toMatchObject(DECISION);
    // With another birth date the match is one band weaker.
    await host.watch({ ...TORVALD, scoreThreshold: 0.6, birthDate: '1974-01-01' });
    await room.work();
    expect((await hitsOf(host, id))[0]!.decision).toBeUndefined();
    const { body } = await host.call<SubjectEvidence>('GET', `${SUBJECTS}/${id}/evidence`);
    expect(body).toMatchObject({
      subject: { id, reference: 'c-1' },
      hits: [{ id: hit!.id }],
      history: [
        { kind: 'new', match: { id: 'inv-1' }, engineVersion: hit!.engineVersion },
        { kind: 'decision', entityId: 'inv-1', decision: DECISION },
        {
          kind: 'subject_changed',
          changes: [
            { field: 'birthDate', removed: ['1961-04-09'], added: ['1974-01-01'] },
            { field: 'scoreThreshold' },
          ],
        },
        { kind: 'changed', before: { score: 1 }, because: ['strength', 'subject'], lapsed: DECISION },
      ],
    });
    const page = await room.app.http.inject({
      url: `${SUBJECTS}/${id}/evidence`,
      headers: { 'x-api-key': host.apiKey, accept: 'text/html' },
    });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    for (const words of [
      'Evidence for c-1',
      '<h3><bdi>Torvald Eskeland</bdi>',
      '<code>inv-1</code>',
      'Another passport &lt;b&gt;',
      'The subject was changed',
      'the match has become stronger or weaker, and what is known of the subject has changed',
      'HARBOUR',
    ]) {
      expect(page.body).toContain(words);
    }
  });

  it('on an outdated entry is refused', async () => {
    const host = await newWatchingHost(room);
    const id = await host.watch(TORVALD);
    await room.work();
    const [hit] = await hitsOf(host, id);
    const decide = (hitId: string, entryHash: string) =>
      host.call('POST', `${SUBJECTS}/${id}/hits/${hitId}/decision`, { ...DECISION, entryHash });
    expect((await decide(hit!.id, 'another')).status).toBe(409);
    expect((await decide(id, hit!.entryHash)).status).toBe(404);
  });
});

describe('text without visible characters', () => {
  it.each<[string, string]>([
    ['spaces', ' \t\n'],
    ['zero-width characters', '\u200b\u2060\ufeff'],
    ['controls', '\u0001\u001f'],
    ['invisible letters', '\u3164\u2800'],
  ])('is neither a reason nor an author: %s', async (_, blank) => {
    const host = await newWatchingHost(room);
    const id = await host.watch(TORVALD);
    await room.work();
    const [hit] = await hitsOf(host, id);
    const url = `${SUBJECTS}/${id}/hits/${hit!.id}/decision`;
    const said = { reason: 'Another passport.', author: 'A. Analyst' };
    const decision = { ...said, decision: 'confirmed', entryHash: hit!.entryHash };
    for (const field of ['reason', 'author']) {
      for (const [path, body] of [
        [url, decision],
        [`${url}/withdraw`, said],
      ] as const) {
        const { status, text } = await host.call('POST', path, { ...body, [field]: blank });
        expect([status, text]).toEqual([400, expect.stringContaining(`body.${field} must not be blank`)]);
      }
    }
    expect((await hitsOf(host, id))[0]!.decision).toBeUndefined();
    expect(await host.call('POST', url, { ...decision, reason: '👍', author: '李' })).toMatchObject({ status: 200 });
  });
});

describe('is refused', () => {
  it.each<[string, object, number, RegExp]>([
    ['a missing reference', { name: 'A B' }, 400, /reference/],
    ['nothing to search by', { reference: 'x' }, 400, /needs a name/],
    ['an invalid callback', { ...TORVALD, callback: { url: 'ftp://x' } }, 400, /callback\.url/],
    ['an unknown country', { ...TORVALD, countries: ['no', 'Narnia'] }, 400, /body\.countries\.1/],
    ['an unknown nationality', { ...TORVALD, nationalities: ['zz'] }, 400, /body\.nationalities\.0/],
    ['an unknown dataset', { ...TORVALD, dataset: 'nowhere' }, 404, /north/],
  ])('for %s', async (_, body, status, says) => {
    const host = await newWatchingHost(room);
    const reply = await host.call('POST', SUBJECTS, body);
    expect([reply.status, reply.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it('without a key, even if screening is open', async () => {
    expect((await room.app.http.inject(SUBJECTS)).statusCode).toBe(401);
    expect((await room.app.http.inject('/v2/screening/alerts')).statusCode).toBe(401);
  });

  it('with a key that only has client credentials', async () => {
    const { apiKey } = await room.app.apiKeys.create({ kind: 'live', clientCredentials: true });
    const nobody = '00000000-0000-4000-8000-000000000000';
    for (const [method, url] of [
      ['GET', SUBJECTS],
      ['POST', SUBJECTS],
      ['POST', `${SUBJECTS}/find`],
      ['POST', `${SUBJECTS}/import`],
      ['GET', `${SUBJECTS}/count`],
      ['GET', `${SUBJECTS}/${nobody}`],
      ['DELETE', `${SUBJECTS}/${nobody}`],
      ['GET', `${SUBJECTS}/${nobody}/hits`],
      ['POST', `${SUBJECTS}/${nobody}/hits/${nobody}/decision`],
      ['GET', `${SUBJECTS}/${nobody}/evidence`],
      ['GET', '/v2/screening/alerts'],
    ] as const) {
      const reply = await room.app.http.inject({ method, url, headers: { 'x-api-key': apiKey } });
      expect([url, reply.statusCode, reply.headers['x-error-code']]).toEqual([url, 401, 'invalid_client_credentials']);
    }
  });
});

it('separates customers and worlds with the same reference', async () => {
  const live = await newWatchingHost(room, 'live', 'one customer');
  const others = [
    await newWatchingHost(room, 'test', 'one customer'),
    await newWatchingHost(room, 'live', 'another customer'),
  ];
  const id = await live.watch(TORVALD);
  await room.work();
  const [hit] = await hitsOf(live, id);
  const decision = { decision: 'confirmed', reason: 'r', author: 'a', entryHash: hit!.entryHash };
  for (const other of others) {
    for (const path of ['', '/hits', '/evidence']) {
      expect((await other.call('GET', `${SUBJECTS}/${id}${path}`)).status).toBe(404);
    }
    expect((await other.call('POST', `${SUBJECTS}/${id}/hits/${hit!.id}/decision`, decision)).status).toBe(404);
    expect((await other.call('DELETE', `${SUBJECTS}/${id}`)).status).toBe(404);
    expect((await other.call('POST', `${SUBJECTS}/find`, { reference: 'c-1' })).status).toBe(404);
    expect((await other.call<WatchedSubjectPage>('GET', SUBJECTS)).body.subjects).toEqual([]);
    expect(await alertsOf(other, `?subjectId=${id}`)).toEqual([]);
    expect(await other.watch({ ...NOBODY })).not.toBe(id);
  }
  expect((await live.call<WatchedSubject>('GET', `${SUBJECTS}/${id}`)).body).toMatchObject({
    name: TORVALD.name,
    hits: 1,
  });
});
