// The end of a session, and the way back.
import type { EndKind, EndScreen, KeptAge } from '../../course/screens.ts';
import type { Translator } from '../../i18n/index.ts';
import { endWaitText, keepText, spellOut } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { LeavingLink } from '../parts/leaving-link.tsx';
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
  key_deleted: 'check',
  key_not_known: 'key',
};
/** Ends after which the person can get a new link from its source. */
const HAS_NEW_LINK: ReadonlySet<EndKind> = new Set([
  ...(['failed', 'unlikely', 'unread', 'other_face', 'not_recognized', 'throttled', 'passkey_refused'] as const),
]);

export function EndView({ screen, actions, words }: ScreenProps<EndScreen>) {
  const { how, redirectUrl, returnCode, keep, hasHost = false, stays = false, isHeld = false } = screen;
  const goesBack = hasHost || redirectUrl !== null;
  /**
   * Whether to mention the automatic redirect. An offer stops it, unless the host must not notice
   * the offer.
   */
  const waits = !stays && !returnCode && (!keep || (hasHost ? keep.state === 'offered' : !redirectUrl));
  const canKeep = keep && keep.state !== 'kept';
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={DRAWINGS[how]}
      buttons={
        (goesBack || canKeep) && (
          <>
            {canKeep && (
              <Button kind="primary" busy={keep.state === 'asking'} onPress={actions.keepAge}>
                {words.text(keep.state === 'failed' ? 'action.retry' : 'keep.button')}
              </Button>
            )}
            {goesBack && (
              <Button kind={canKeep ? 'secondary' : 'primary'} onPress={actions.goOn}>
                {words.text(canKeep ? 'keep.skip' : 'end.back')}
              </Button>
            )}
          </>
        )
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
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
      {keep && <KeepAge keep={keep} words={words} />}
      {HAS_NEW_LINK.has(how) && !goesBack && <p>{words.text('end.failedRetry')}</p>}
      {isHeld && redirectUrl && (
        <p class="link" dir="ltr">
          <LeavingLink href={redirectUrl}>{redirectUrl}</LeavingLink>
        </p>
      )}
      {waits && <p class="small">{words.text(goesBack ? 'end.redirecting' : 'end.close')}</p>}
    </ScreenFrame>
  );
}

/** Offer to remember the age on this device, and its state. */
function KeepAge({ keep, words }: { keep: KeptAge; words: Translator }) {
  return (
    <>
      <p>{keepText(keep, words)}</p>
      {keep.state === 'kept' ? (
        <p>
          <LeavingLink href="launch/my-age-key">{words.text('mine.button')}</LeavingLink>
        </p>
      ) : (
        <p class="small">{words.text('keep.private')}</p>
      )}
    </>
  );
}
