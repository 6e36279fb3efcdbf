// `limen people graphs`: refused without PostgreSQL; the long run uses real pgvector.
import { expect, it, onTestFinished } from 'vitest';
import { IS_PGLITE, startPgvectorServer } from '#testing/database/pgvector-server.ts';
import { engine } from '#testing/database/test-database.ts';
import { makeFace } from '#testing/faces.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { startTestApp } from '#testing/test-app.ts';

it.runIf(engine === 'sqlite')('says what it needs', async () => {
  const { environment } = await prepareDatabase();
  expect(await runLimenHere(['people', 'graphs'], { environment })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('set DATABASE_URL'),
  });
  expect(await runLimenHere(['people', 'graphs', '--least', '0'], { environment })).toMatchObject({ code: 2 });
});

it.skipIf(IS_PGLITE || engine === 'sqlite')('makes those that are missing, and removes them', async () => {
  const server = await startPgvectorServer();
  onTestFinished(server.close);
  const database = await server.createDatabase();
  onTestFinished(database.dispose);
  const key = 'a-key-for-the-graphs';
  const environment = { VECTOR_STORE: 'pgvector', VECTOR_SEARCH: 'approximate', DEV_API_KEY: key };
  const app = await startTestApp({ database, environment });
  await app.apiKeys.ensureDevelopmentKey(key);
  const post = async (operation: string, face: number) => {
    const payload = { api_key: key, features: { embedding_vector: [...makeFace(face)] } };
    return (await app.http.inject({ method: 'POST', url: `/node/${operation}`, payload })).json();
  };
  for (const face of [1, 2, 3]) expect(await post('plainEnroll', face)).toMatchObject({ status: 0 });
  const limen = (...args: string[]) =>
    runLimenHere(['people', 'graphs', ...args], { environment: { ...database.environment, ...environment } });
  expect((await limen()).stdout).toContain('No gallery has 50000 embeddings');
  expect((await limen('--least', '3', '--memory', '64')).stdout).toMatch(
    /Made a graph of the gallery .+, 3 embeddings\.\n1 graph, 1 of them new/,
  );
  expect((await limen('--least', '3')).stdout).toContain('1 graph, 0 of them new');
  expect(await post('plainPredict', 2)).toMatchObject({ status: 0 });
  expect((await limen('--drop')).stdout).toContain('1 graph removed');
});
