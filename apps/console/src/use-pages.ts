// A list that is fetched a page at a time, by hand.
import { useWork } from './ui/parts.tsx';
import { useLoad } from './use-load.ts';

interface Page<Row> {
  rows: Row[];
  next?: string | undefined;
}

export interface Pages<Row> {
  /** Undefined while the first page is on its way. */
  rows: Row[] | undefined;
  problem: Error | undefined;
  /** Undefined where there is no more. */
  showMore: (() => void) | undefined;
  isBusy: boolean;
  reload(): void;
}

/** Begins anew when `key` changes. */
export function usePages<Row>(key: string, load: (after: string | undefined) => Promise<Page<Row>>): Pages<Row> {
  const { value: page, problem, reload, set } = useLoad(key, () => load(undefined));
  const [isBusy, moreProblem, run] = useWork();
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
