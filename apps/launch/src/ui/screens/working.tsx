// Screens without a choice: opening, loading, working and waiting.
import type { Screen, Work } from '../../course/screens.ts';
import { loadingText, waitText } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const WORK_DRAWINGS: Readonly<Record<Work, DrawingName>> = {
  estimating: 'face',
  looking: 'face',
  reading: 'document',
  encrypting: 'lock',
  matching: 'faceInView',
  passkey: 'key',
  wallet: 'phone',
  sending: 'send',
};

export function WorkingView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'working' }>>) {
  const text = words.text(getExplanation(screen)!);
  const drawing = screen.offline ? 'offline' : WORK_DRAWINGS[screen.doing];
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={drawing}
      buttons={screen.offline && (screen.canCancel ?? true) && <CancelButton actions={actions} words={words} />}
    >
      <p class="lead">{screen.offline ? words.text('working.offline') : text}</p>
      {!screen.offline && <ProgressBar share={null} label={text} />}
    </ScreenFrame>
  );
}

export function OpeningView({ screen, words }: ScreenProps<Extract<Screen, { name: 'opening' }>>) {
  return (
    <ScreenFrame screen={screen} words={words}>
      <div class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
    </ScreenFrame>
  );
}

export function LoadingView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'loading' }>>) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={screen.unready ? 'clock' : 'lens'}
      buttons={<CancelButton actions={actions} words={words} />}
    >
      <p class="lead">{loadingText(screen, words)}</p>
      <ProgressBar share={screen.unready ? null : screen.share} label={words.text('loading.heading')} />
    </ScreenFrame>
  );
}

export function WaitView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'wait' }>>) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="clock"
      buttons={
        <>
          {screen.minutesLeft === 0 && (
            <Button kind="primary" onPress={actions.showFaceAgain}>
              {words.text('action.retry')}
            </Button>
          )}
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      <p>{waitText(screen, words)}</p>
    </ScreenFrame>
  );
}
