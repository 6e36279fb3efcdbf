// A separate database and key-holder for each test of face tokens, with helpers.
import { beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { openTokenProcess, type TokenProcess } from '#testing/processes/token-process.ts';
import type { PersonId, Puid, SessionId } from '../../src/platform/base/ids.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from './local-key-holder.ts';

export type OpenTokens = (options?: Partial<Parameters<typeof openTokenProcess>[1]>) => Promise<TokenProcess>;

interface TokenPlace {
  place: TestDatabase;
  keyHolder: LocalKeyHolder;
  /** Opens a separate process on them. */
  open: OpenTokens;
}

export function useTokenPlace(beginTest: (given: TokenPlace) => void): void {
  beforeEach(async () => {
    const place = await createTestDatabase();
    const keyHolder = await openLocalKeyHolder();
    beginTest({ place, keyHolder, open: (options = {}) => openTokenProcess(place, { keyHolder, ...options }) });
    return async () => {
      await keyHolder.close();
      await place.dispose();
    };
  });
}

export const discard = ({ database, tokens }: TokenProcess, session: SessionId) =>
  database.transact((trx) => tokens.discard(trx, session));
export const confirm = ({ database, tokens }: TokenProcess, session: SessionId, personId: PersonId) =>
  database.transact((trx) => tokens.confirm(trx, session, personId));
export const rowsOf = async ({ database }: TokenProcess) => ({
  people: await database.queries.selectFrom('people').select(['id', 'provisional_session']).execute(),
  tokens: await database.queries.selectFrom('tokens').select(['seq', 'person_id', 'epoch']).orderBy('seq').execute(),
  galleries: await database.queries.selectFrom('galleries').select(['people', 'tokens', 'version']).execute(),
});
export const personOf = (outcome: { kind: string }) => outcome as { kind: string; personId: PersonId; puid: Puid };
