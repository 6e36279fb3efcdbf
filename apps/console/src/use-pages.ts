// A paged list whose further pages are fetched on request.
import { useAction } from './ui/parts.tsx';
import { useLoad } from './use-load.ts';

interface Page<Row> {
  rows: Row[];
  next?: string | undefined;
}

export interface Pages<Row> {
  /** Undefined while the first page loads. */
  rows: Row[] | undefined;
  problem: Error | undefined;
  /** Undefined after the last page. */
  showMore: (() => void) | undefined;
  isBusy: boolean;
  reload(): void;
}

/** Restarts when `key` changes. */
export function usePages<Row>(key: string, load: (after: string | undefined) => Promise<Page<Row>>): Pages<Row> {
  const { value: page, problem, reload, set } = useLoad(key, () => load(undefined));
  const [isBusy, moreProblem, run] = useAction();
  const next = page?.next;
  const showMore = () =>
    run(async () => {
      const more = await load(next);
      set({ rows: [...page!.rows, ...more.rows], next: more.next });
    });
  return {
    rows: page?.rows,
    problem: problem ?? moreProblem,
    showMore: next === undefined ? undefined : showMore,
    isBusy,
    reload,
  };
}
