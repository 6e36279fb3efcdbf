// The code for the phone, and then the phone's progress.
import type { HandoffScreen } from '../../course/screens.ts';
import { followedText, handoffText } from '../announce.ts';
import { Drawing } from '../drawings/drawing.tsx';
import { Button } from '../parts/button.tsx';
import { CopyLink, QrCode } from '../parts/link-code.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const DRAWINGS = { old_code: 'clock', other_number: 'attention', declined: 'attention', following: 'phone' } as const;

interface HandoffProps extends ScreenProps<HandoffScreen> {
  onNotice(text: string | null): void;
}

export function HandoffView({ screen, actions, words, onNotice }: HandoffProps) {
  const { state, url, canGoBack } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      {...(state === 'code' ? {} : { drawing: DRAWINGS[state] })}
      buttons={
        <>
          {state === 'code' && <CopyLink url={url} words={words} onNotice={onNotice} />}
          {(state === 'old_code' || state === 'other_number' || state === 'declined') && (
            <Button kind="primary" onPress={actions.renewCode}>
              {words.text('handoff.renew')}
            </Button>
          )}
          {canGoBack && (
            <Button kind="secondary" onPress={actions.goBack}>
              {words.text('action.back')}
            </Button>
          )}
          {/* A follower cannot cancel; only the other device can. */}
          {state !== 'following' && <CancelButton actions={actions} words={words} />}
        </>
      }
    >
      <p class="lead">{words.text(handoffText(screen))}</p>
      {/* If the phone is lost, nothing can be done from here. */}
      {state === 'following' && <p class="small">{words.text('end.failedRetry')}</p>}
      {state === 'code' && (
        <>
          <div class="code-frame">
            <QrCode text={url} label={words.text('handoff.codeLabel')} />
          </div>
          <p class="compare">
            <span>{words.text('handoff.number')}</span>
            <b class="number" dir="ltr">
              {screen.number}
            </b>
          </p>
          <p class="small">{words.text('handoff.validFor', { count: screen.minutesLeft })}</p>
        </>
      )}
      {followedText(screen, words).map((text) => (
        <p key={text} class="followed">
          <Drawing name="phone" />
          <span>{text}</span>
        </p>
      ))}
    </ScreenFrame>
  );
}
