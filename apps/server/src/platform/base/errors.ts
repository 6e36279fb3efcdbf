// Declares the errors of the service. AppError is the only one that reaches a client.
import type { ErrorDetail } from '@limen/contract';
import { ERROR_STATUS, type ErrorCode } from '@limen/contract/error-codes';
import { describeOutage, isOutage, lacksRight } from './database-failures.ts';

interface AppErrorOptions {
  details?: ErrorDetail[];
  /** Code of the refusal on the device channel. */
  sessionCode?: number;
  /** Reply headers of the refusal, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
  /** Text for the log only. Never a secret, a body or a personal value. */
  internal?: string;
  cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly sessionCode: number | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly internal: string | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: AppErrorOptions = {}) {
    super(publicMessage, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.sessionCode = options.sessionCode;
    this.headers = options.headers;
    this.internal = options.internal;
  }

  get statusCode(): number {
    return ERROR_STATUS[this.code];
  }
}

export function invalid(path: string, message: string): AppError {
  return invalidFields([{ path, message }]);
}

/** A temporary refusal, after which the client may try again. */
export function unavailable(message: string, retryAfterSeconds: number, options: AppErrorOptions = {}): AppError {
  const headers = { 'retry-after': String(retryAfterSeconds), ...options.headers };
  return new AppError('unavailable', message, { ...options, headers });
}

export function invalidFields(details: ErrorDetail[]): AppError {
  const message = details.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new AppError('validation_failed', message, { details });
}

/** The stored data changed since it was read. Callers re-read and retry, or give up. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/**
 * Reason not to start, as an explanation for the operator. Several problems are listed below it.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly problems: readonly string[];

  constructor(sentence: string, { problems = [], ...options }: ErrorOptions & { problems?: readonly string[] } = {}) {
    super([sentence, ...problems.map((problem) => `  - ${problem}`)].join('\n'), options);
    this.problems = problems;
  }
}

/** Describes an error by class, code and stack, and an outage by its cause. Messages are left out, because they may hold values. */
export function describeForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error) || !isOutage(error)) return describeUncaught(error);
  return { error: error.name, ...describeCode(error), outage: describeOutage(error) };
}

/** Describes an uncaught exception, with its stack even for an outage of the database. */
export function describeUncaught(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    ...describeCode(error),
    ...(error instanceof AppError && error.internal ? { reason: error.internal } : {}),
    // PostgreSQL's message names a table, and never a value.
    ...(lacksRight(error) ? { reason: error.message } : {}),
    frames: frames.slice(0, 12).map((line) => line.trim()),
    ...(error.cause instanceof Error ? { cause: describeForLog(error.cause) } : {}),
  };
}

function describeCode(error: Error): { errorCode?: string | number } {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { errorCode: code } : {};
}
