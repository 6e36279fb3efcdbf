// The client against the real service, on each database.
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { createLossyFetch, startLiveService } from '../testing/live-service.ts';
import { rejectionOf } from '../testing/scripted-client.ts';
import { LimenConnectionError, LimenError } from './index.ts';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

describe('an open store', () => {
  it('creates, gets, lists, iterates and deletes strings', async () => {
    const limen = (await startLiveService()).connect();
    const created = [];
    for (const value of ['one', 'zwei', '三', 'quatre', '🚪']) created.push(await limen.strings.create(value));
    const newestFirst = created.toReversed();

    expect(created.map(({ value }) => value)).toEqual(['one', 'zwei', '三', 'quatre', '🚪']);
    expect(await limen.strings.get(created[2]!.id)).toEqual(created[2]);

    const page = await limen.strings.list({ limit: 3 });
    expect(page.strings).toEqual(newestFirst.slice(0, 3));
    const rest = await limen.strings.list({ limit: 3, cursor: page.nextCursor });
    expect(rest).toEqual({ strings: newestFirst.slice(3) });

    const walked = [];
    for await (const record of limen.strings.iterate({ pageSize: 2 })) walked.push(record);
    expect(walked).toEqual(newestFirst);

    expect(await limen.strings.delete(created[0]!.id)).toBeUndefined();
    expect(await rejectionOf(limen.strings.delete(created[0]!.id))).toMatchObject({ status: 404, code: 'not_found' });
    expect((await limen.strings.list()).strings).toEqual(newestFirst.slice(0, 4));
  });

  it('returns the descriptor and the health', async () => {
    const limen = (await startLiveService()).connect();
    expect(await limen.describe()).toMatchObject({ service: 'limen', endpoints: { createString: 'POST /strings' } });
    expect(await limen.health()).toMatchObject({ status: 'ok', service: 'limen' });
  });
});

describe('a lost reply', () => {
  it('to a create leaves one record, which the caller receives', async () => {
    const { connect } = await startLiveService();
    const limen = connect({ fetch: createLossyFetch() });
    const record = await limen.strings.create('once');
    expect(await limen.strings.list()).toEqual({ strings: [record] });
  });

  it('to a delete is not an error', async () => {
    const { connect } = await startLiveService();
    const { id } = await connect().strings.create('to be deleted');
    expect(await connect({ fetch: createLossyFetch() }).strings.delete(id)).toBeUndefined();
    expect(await connect().strings.list()).toEqual({ strings: [] });
  });
});

describe('errors', () => {
  it('carry status, code, request id and details', async () => {
    const { app, connect } = await startLiveService();
    const error = await rejectionOf(connect().strings.create(''));
    expect(error).toBeInstanceOf(LimenError);
    expect(error).toMatchObject({
      status: 400,
      code: 'validation_failed',
      details: [{ path: 'body.value', message: 'must not be empty' }],
    });
    const { requestId } = error as LimenError;
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(app.logged()).toContain(requestId);
  });

  it('report a missing record for any id', async () => {
    const limen = (await startLiveService()).connect();
    for (const id of [UNKNOWN_ID, 'a/b?c#d', '../health', '%2e%2e', 'ü 🚪']) {
      expect(await rejectionOf(limen.strings.get(id))).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('reject an idempotency key that was used with another value', async () => {
    const limen = (await startLiveService()).connect();
    await limen.strings.create('first', { idempotencyKey: 'order-7' });
    const error = await rejectionOf(limen.strings.create('second', { idempotencyKey: 'order-7' }));
    expect(error).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('carry the time to wait', async () => {
    const { connect } = await startLiveService({ RATE_LIMIT: 'address=1:1' });
    const limen = connect({ retries: { attempts: 1 } });
    // More concurrent calls than the rate limit allows.
    const error = await rejectionOf(Promise.all(Array.from({ length: 20 }, () => limen.strings.list())));
    expect(error).toMatchObject({ status: 429, code: 'too_many_requests', retryAfterSeconds: 1 });
  });

  it('distinguish an unreachable service from one that refuses', async () => {
    const { app, connect } = await startLiveService();
    await app.close();
    expect(await rejectionOf(connect().describe())).toBeInstanceOf(LimenConnectionError);
  });
});

describe('a closed store', () => {
  it('requires the key and shows each customer only its own strings', async () => {
    const { app, connect } = await startLiveService({ REQUIRE_API_KEY: 'strings' });
    const [ours, theirs] = await Promise.all(
      [1, 2].map(() => app.apiKeys.create({ kind: 'live', clientCredentials: false })),
    );
    const record = await connect({ apiKey: ours!.apiKey }).strings.create('ours');
    expect(await connect({ apiKey: ours!.apiKey }).strings.list()).toEqual({ strings: [record] });
    expect(await connect({ apiKey: theirs!.apiKey }).strings.list()).toEqual({ strings: [] });
    expect(await rejectionOf(connect({ apiKey: theirs!.apiKey }).strings.get(record.id))).toMatchObject({
      status: 404,
    });
  });

  it.each([undefined, 'not-a-key'])('refuses the key %s', async (apiKey) => {
    const { connect } = await startLiveService({ REQUIRE_API_KEY: 'strings' });
    expect(await rejectionOf(connect({ apiKey }).strings.list())).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: 'Invalid API key',
    });
  });
});

describe('the sanctions check', () => {
  const CSV = 'id,firstname,lastname,dob\n1,Ottokar,Brennwälder,1955-08-19\n2,Nobody,Inparticular,1990-01-01\n';

  it('screens a file and lists the datasets', async () => {
    const limen = (await startLiveService()).connect();
    const { summary, results } = await limen.sanctions.screenFile('demo', new File([CSV], 'two.csv'));
    expect(results.map(({ id, match }) => [id, match])).toEqual([
      ['1', 'true'],
      ['2', 'false'],
    ]);
    expect(summary).toMatchObject({ total: 2, dataset: 'demo', scoreThreshold: 0.95, matched: { count: 1 } });
    expect(summary.matched.records[0]?.matches[0]?.caption).toBe('Ottokar Brennwälder');
    const { datasets } = await limen.sanctions.datasets();
    expect(datasets.map(({ name }) => name)).toContain('demo');
  });

  it('reports refusals by the service', async () => {
    const limen = (await startLiveService()).connect();
    const refused = (promise: Promise<unknown>) => rejectionOf(promise) as Promise<LimenError>;
    expect(await refused(limen.sanctions.screenFile('nowhere', CSV))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await refused(limen.sanctions.screenFile('demo', 'hello'))).toMatchObject({ status: 400 });
    expect(await refused(limen.sanctions.screenFile('demo', CSV, { fileName: 'people.txt' }))).toMatchObject({
      status: 400,
    });
    expect(await refused(limen.sanctions.screenFile('demo', CSV, { scoreThreshold: 2 }))).toMatchObject({
      status: 400,
    });
    const large = new Blob([CSV, 'x'.repeat(SCREENING_FILE_MAX_BYTES)]);
    expect(await refused(limen.sanctions.screenFile('demo', large))).toMatchObject({ status: 413 });
  });
});
