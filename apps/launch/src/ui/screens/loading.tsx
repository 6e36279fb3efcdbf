// While the models come.
import type { Screen } from '../../flow/screens.ts';
import { loadingText } from '../announce.ts';
import { Button } from '../parts/button.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

export function LoadingView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'loading' }>>) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={screen.unready ? 'clock' : 'lens'}
      buttons={
        <Button kind="quiet" onPress={actions.askToCancel}>
          {words.text('action.cancel')}
        </Button>
      }
    >
      <p class="lead">{loadingText(screen, words)}</p>
      <ProgressBar share={screen.unready ? null : screen.share} label={words.text('loading.heading')} />
    </ScreenFrame>
  );
}
