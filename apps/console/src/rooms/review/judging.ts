// What can be said of a case, and in which words: of what somebody proposed, that it is right, or not.
import type { CaseView, Verdict } from '@limen/server/console/review';
import { TEXTS } from '../../texts.ts';

const R = TEXTS.review;
const T = R.case;

type Judged = Pick<CaseView, 'verdicts' | 'kind' | 'eyes'> & {
  proposed: Pick<NonNullable<CaseView['proposed']>, 'verdict' | 'by'> | null;
};

/** Whoever is second says of what was proposed, first of all, that it is right. */
export function choicesOf({ verdicts, proposed }: Judged): readonly Verdict[] {
  return proposed ? [proposed.verdict, ...verdicts.filter((one) => one !== proposed.verdict)] : verdicts;
}

export function labelOf({ proposed }: Judged, verdict: Verdict): string {
  if (!proposed) return R.verdicts[verdict];
  return proposed.verdict === verdict ? T.confirm[verdict] : T.disagree;
}

export function questionOf({ proposed, kind, eyes }: Judged, verdict: Verdict): { heading: string; text: string } {
  if (!proposed) {
    return { heading: T.reasonHeading[verdict], text: eyes === 2 ? T.reasonText.proposal : T.reasonText[kind] };
  }
  return proposed.verdict === verdict
    ? { heading: T.confirmHeading(proposed.by, R.decided[verdict]), text: T.reasonText[kind] }
    : { heading: T.disagreeHeading(proposed.by, R.decided[proposed.verdict]), text: T.reasonText.objection };
}
