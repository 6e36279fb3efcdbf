// Why a document will not do, and how to try again.

import type { Screen } from '../../course/screens.ts';
import type { DocumentProblem } from '../../document/kinds.ts';
import { triesText } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const DRAWINGS: Readonly<Record<DocumentProblem, DrawingName>> = {
  expired: 'clock',
  unreadable: 'lens',
  check_digit: 'attention',
  no_birth_date: 'document',
  no_face: 'noFace',
  unusable_file: 'cross',
};
/** Another try with the same document would come to the same. */
const NEEDS_ANOTHER: ReadonlySet<DocumentProblem> = new Set(['expired', 'no_birth_date']);

export function DocumentProblemView({
  screen,
  actions,
  words,
}: ScreenProps<Extract<Screen, { name: 'document_problem' }>>) {
  const { problem } = screen;
  const tries = triesText(screen, words);
  const again = (
    <Button key="again" kind={NEEDS_ANOTHER.has(problem) ? 'secondary' : 'primary'} onPress={actions.tryDocumentAgain}>
      {words.text('action.retry')}
    </Button>
  );
  const other = (
    <Button key="other" kind={NEEDS_ANOTHER.has(problem) ? 'primary' : 'secondary'} onPress={actions.otherDocument}>
      {words.text('document.otherKind')}
    </Button>
  );
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={DRAWINGS[problem]}
      buttons={
        <>
          {NEEDS_ANOTHER.has(problem) ? [other, again] : [again, other]}
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      {tries && <p class="small">{tries}</p>}
    </ScreenFrame>
  );
}
