// Enrols one line of an import, as patiently as a request is.
import { setTimeout as wait } from 'node:timers/promises';
import type { Owner } from '../../../platform/api-keys/owner.ts';
import { isUnavailable } from '../../../platform/base/database-failures.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { ENROL_ATTEMPTS, restAfterAttemptMs } from '../../galleries/enrol-attempts.ts';
import type { People } from '../../galleries/people.ts';
import type { PersonRow } from './import-run.ts';

/** True when the person is new. */
export async function enrolRow(people: People, owner: Owner, row: PersonRow): Promise<boolean> {
  const { vectors, modelVersion, identifier } = row;
  const identifierDigest = identifier === undefined ? undefined : people.digestIdentifier(owner, identifier);
  for (let attempt = 1; ; attempt++) {
    try {
      return (await people.enrol({ owner, modelVersion, vectors, identifierDigest })).isNew;
    } catch (error) {
      const mayPass = isUnavailable(error) || (error instanceof AppError && error.code === 'unavailable');
      if (!mayPass || attempt === ENROL_ATTEMPTS) throw error;
      await wait(restAfterAttemptMs(attempt));
    }
  }
}
