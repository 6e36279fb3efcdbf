// What went wrong while screening, for the log and for the client: never a name of anybody.
import type { Logger } from 'pino';
import { AppError } from '../../platform/base/errors.ts';
import { LaneClosed, WorkerFailure } from './pool.ts';

export function explainFailure(error: unknown, requestId: string, log: Pick<Logger, 'error'>): never {
  if (error instanceof WorkerFailure) log.error({ requestId, ...error.failure }, 'a worker failed');
  throw error instanceof LaneClosed ? givenUp() : error;
}

/** Read by nobody when the client has left; otherwise it is the service that stops. */
export function givenUp(): AppError {
  return new AppError('unavailable', 'The service is stopping; try again in a moment.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
