// The device estimates, or the outcome is on its way.
import type { Screen, Work } from '../../course/screens.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
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
  const text = words.text(explanationOf(screen)!);
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
