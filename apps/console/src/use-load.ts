// Loads and reloads data.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  value: T | undefined;
  problem: Error | undefined;
  reload(): void;
  set(value: T): void;
}

/** Fetches when `key` changes and drops responses for an earlier key. */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; problem?: Error }>({ key });
  const current = useRef(key);
  current.current = key;
  const run = useCallback(() => {
    load().then(
      (value) => current.current === key && setState({ key, value }),
      (problem: Error) => current.current === key && setState({ key, problem }),
    );
  }, [key]);
  useEffect(run, [run]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    problem: isCurrent ? state.problem : undefined,
    reload: run,
    set: (value) => setState({ key, value }),
  };
}

/** Polls while the page is visible. */
export function usePolling(ms: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
