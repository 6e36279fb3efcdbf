// Why the models could not be brought, as a code: offline and unready are worth another try later.

/** `unstarted`: the worker never said a word. No network, or the page is older than what the service has by now. */
export type LoadErrorCode = 'offline' | 'unready' | 'mismatch' | 'unsupported' | 'failed' | 'unstarted';

export class ModelLoadError extends Error {
  readonly code: LoadErrorCode;
  constructor(code: LoadErrorCode, options?: ErrorOptions) {
    super(`The face models could not be loaded: ${code}`, options);
    this.name = 'ModelLoadError';
    this.code = code;
  }
}
