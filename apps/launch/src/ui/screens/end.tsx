// How it ended, and the way back.
import type { EndKind, Screen } from '../../flow/screens.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

const DRAWINGS: Record<EndKind, DrawingName> = {
  done: 'check',
  cancelled: 'cross',
  expired: 'clock',
  not_found: 'link',
  failed: 'attention',
  unlikely: 'noFace',
  unread: 'document',
  other_face: 'severalFaces',
};
/** The person gets a new link where the old one came from. */
const HAS_NEW_LINK: ReadonlySet<EndKind> = new Set(['failed', 'unlikely', 'unread', 'other_face']);

export function EndView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'end' }>>) {
  const { how, redirectUrl, stays = false } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={DRAWINGS[how]}
      buttons={
        redirectUrl && (
          <Button kind="primary" onPress={actions.goOn}>
            {words.text('end.back')}
          </Button>
        )
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      {HAS_NEW_LINK.has(how) && !redirectUrl && <p>{words.text('end.failedRetry')}</p>}
      {!stays && <p class="small">{words.text(redirectUrl ? 'end.redirecting' : 'end.close')}</p>}
    </ScreenFrame>
  );
}
