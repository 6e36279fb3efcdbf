// How long tests wait for what comes in its own time: longer than it takes on a machine that is busy with other tests.

export const PATIENCE_MS = 90_000;
export const PATIENCE = { timeout: PATIENCE_MS };
