// Timeouts of tests, generous enough for a machine busy with other tests.

export const PATIENCE_MS = 90_000;
export const PATIENCE = { timeout: PATIENCE_MS };
