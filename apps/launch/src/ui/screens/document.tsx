// The slot of the document step.
import type { Screen } from '../../flow/screens.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

export function DocumentView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'document' }>>) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="document"
      buttons={
        <Button kind="secondary" onPress={actions.askToCancel}>
          {words.text('action.cancel')}
        </Button>
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
    </ScreenFrame>
  );
}
