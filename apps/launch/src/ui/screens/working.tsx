// The device estimates, or the outcome is on its way.
import type { Screen } from '../../flow/screens.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

const DRAWINGS = { estimating: 'face', reading: 'document', sending: 'send' } as const;

export function WorkingView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'working' }>>) {
  const text = words.text(explanationOf(screen)!);
  const drawing = screen.offline ? 'offline' : DRAWINGS[screen.doing];
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={drawing}
      buttons={
        screen.offline &&
        (screen.canCancel ?? true) && (
          <Button kind="quiet" onPress={actions.askToCancel}>
            {words.text('action.cancel')}
          </Button>
        )
      }
    >
      <p class="lead">{screen.offline ? words.text('working.offline') : text}</p>
      {!screen.offline && <ProgressBar share={null} label={text} />}
    </ScreenFrame>
  );
}
