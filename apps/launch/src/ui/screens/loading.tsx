// While the models come.
import type { Screen } from '../../course/screens.ts';
import { loadingText } from '../announce.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

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
