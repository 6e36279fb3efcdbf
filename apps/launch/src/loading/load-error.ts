// Error for models that failed to load. `offline` and `unready` are worth a retry.

/** `unstarted`: the worker never reported. Either there is no network, or the page is outdated. */
export type LoadErrorCode = 'offline' | 'unready' | 'mismatch' | 'unsupported' | 'failed' | 'unstarted';

export class ModelLoadError extends Error {
  readonly code: LoadErrorCode;
  constructor(code: LoadErrorCode, options?: ErrorOptions) {
    super(`The face models could not be loaded: ${code}`, options);
    this.name = 'ModelLoadError';
    this.code = code;
  }
}
