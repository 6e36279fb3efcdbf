// What the service keeps for an age key, and how to have it deleted.
import type { MyAgeKeyScreen } from '../../course/screens.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

export function MyAgeKeyView({ screen, actions, words }: ScreenProps<MyAgeKeyScreen>) {
  const { state } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="key"
      buttons={
        state !== 'unsupported' && (
          <Button kind="primary" busy={state === 'asking'} onPress={actions.deleteAgeKey}>
            {words.text(state === 'failed' ? 'action.retry' : 'mine.button')}
          </Button>
        )
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
    </ScreenFrame>
  );
}
