// The device estimates, or the outcome is on its way.
import type { Screen } from '../../flow/screens.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

export function WorkingView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'working' }>>) {
  const text = words.text(explanationOf(screen)!);
  const drawing = screen.offline ? 'offline' : screen.doing === 'sending' ? 'send' : 'face';
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
