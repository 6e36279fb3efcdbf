// Verdicts that a case offers, and their texts.
import type { CaseView, Verdict } from '@limen/server/console/review';
import { TEXTS } from '../../texts.ts';

const R = TEXTS.review;
const T = R.case;

type JudgedCase = Pick<CaseView, 'verdicts' | 'kind' | 'eyes'> & {
  proposed: Pick<NonNullable<CaseView['proposed']>, 'verdict' | 'by'> | null;
};

/** The second operator is offered confirmation of the proposal first. */
export function orderVerdicts({ verdicts, proposed }: JudgedCase): readonly Verdict[] {
  return proposed ? [proposed.verdict, ...verdicts.filter((verdict) => verdict !== proposed.verdict)] : verdicts;
}

export function formatVerdict({ proposed }: JudgedCase, verdict: Verdict): string {
  if (!proposed) return R.verdicts[verdict];
  return proposed.verdict === verdict ? T.confirm[verdict] : T.disagree;
}

export function describeVerdict(
  { proposed, kind, eyes }: JudgedCase,
  verdict: Verdict,
): { heading: string; text: string } {
  if (!proposed) {
    return { heading: T.reasonHeading[verdict], text: eyes === 2 ? T.reasonText.proposal : T.reasonText[kind] };
  }
  return proposed.verdict === verdict
    ? { heading: T.confirmHeading(proposed.by, R.decided[verdict]), text: T.reasonText[kind] }
    : { heading: T.disagreeHeading(proposed.by, R.decided[proposed.verdict]), text: T.reasonText.objection };
}
