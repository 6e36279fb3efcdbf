// Too many tries: how long it takes until there may be another one.
import type { Screen } from '../../course/screens.ts';
import { waitText } from '../announce.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

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
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      <p>{waitText(screen, words)}</p>
    </ScreenFrame>
  );
}
