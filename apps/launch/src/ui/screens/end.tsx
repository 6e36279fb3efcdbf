// How it ended, and the way back.
import type { EndKind, EndScreen } from '../../course/screens.ts';
import { endWaitText, spellOut } from '../announce.ts';
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
  enrolled: 'check',
  signed_in: 'check',
  verified: 'check',
  not_recognized: 'noFace',
  throttled: 'clock',
  passkey_refused: 'key',
  cancelled_enrolment: 'cross',
  cancelled_sign_in: 'cross',
  hand_back: 'check',
  not_handed_back: 'attention',
};
/** The person gets a new link where the old one came from. */
const HAS_NEW_LINK: ReadonlySet<EndKind> = new Set([
  ...(['failed', 'unlikely', 'unread', 'other_face', 'not_recognized', 'throttled', 'passkey_refused'] as const),
]);

export function EndView({ screen, actions, words }: ScreenProps<EndScreen>) {
  const { how, redirectUrl, returnCode, stays = false } = screen;
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
      {returnCode && (
        <>
          <p class="number long" dir="ltr" aria-hidden="true">
            {returnCode.replace(/^.{3}/, '$&\u2009')}
          </p>
          <p class="unseen">{spellOut(returnCode)}</p>
          <p class="small">{words.text('return.secret')}</p>
        </>
      )}
      {endWaitText(screen, words).map((text) => (
        <p key={text}>{text}</p>
      ))}
      {HAS_NEW_LINK.has(how) && !redirectUrl && <p>{words.text('end.failedRetry')}</p>}
      {!stays && !returnCode && <p class="small">{words.text(redirectUrl ? 'end.redirecting' : 'end.close')}</p>}
    </ScreenFrame>
  );
}
