// Decides whether a measured share meets its target: its whole 95% interval must, so that chance
// does not suffice.
import { aim } from '../shared/figures.ts';
import { boundRate } from '../shared/rates.ts';

interface Share {
  hits: number;
  of: number;
}

export function judgeMost(hits: number, of: number, most: number, text: string): string {
  return judge(of === 0 || hits / of <= most, of > 0 && boundRate(hits, of)[1] <= most, text);
}

export function judgeLeast(hits: number, of: number, least: number, text: string): string {
  return judge(of === 0 || hits / of >= least, of > 0 && boundRate(hits, of)[0] >= least, text);
}

/** Maximum ratio between the shares of groups. A group without data shows nothing. */
export function judgeEvenness(groups: readonly Share[], times: number, text: string): string {
  const measured = groups.filter(({ of }) => of > 0);
  const isEven = (low: readonly number[], high: readonly number[]) => Math.max(...high) <= times * Math.min(...low);
  const shares = measured.map(({ hits, of }) => hits / of);
  const bounds = measured.map(({ hits, of }) => boundRate(hits, of));
  const isShown =
    measured.length === groups.length &&
    isEven(
      bounds.map(([low]) => low),
      bounds.map(([, high]) => high),
    );
  return judge(isEven(shares, shares), isShown, text);
}

function judge(isMet: boolean, isShown: boolean, text: string): string {
  return isMet && !isShown ? `aim ${text}: not shown by so few` : aim(isMet, text);
}
