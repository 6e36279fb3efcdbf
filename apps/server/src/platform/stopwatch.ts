// How long ago something was, for what must not be thought fresh by mistake.

/** Milliseconds since the call, by the clock that says more: one stands still while a machine sleeps, the other can be set back. */
export function startStopwatch(): () => number {
  const [steady, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Date.now() - wall);
}
