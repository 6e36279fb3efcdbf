// Nobody was found for the face that was shown, and the way to another try.
import type { Screen } from '../../course/screens.ts';
import { triesText } from '../announce.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

type NotRecognizedProps = ScreenProps<Extract<Screen, { name: 'not_recognized' }>>;

export function NotRecognizedView({ screen, actions, words }: NotRecognizedProps) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="noFace"
      buttons={
        <>
          <Button kind="primary" onPress={actions.showFaceAgain}>
            {words.text('action.retry')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      <p class="small">{triesText(screen, words)}</p>
    </ScreenFrame>
  );
}
