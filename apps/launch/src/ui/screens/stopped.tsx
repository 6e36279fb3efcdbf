// This device has no part in the check, or no longer.
import type { Screen } from '../../flow/screens.ts';
import { explanationOf } from '../headings.ts';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

export function StoppedView({ screen, words }: ScreenProps<Extract<Screen, { name: 'stopped' }>>) {
  return (
    <ScreenFrame screen={screen} words={words} drawing={screen.why === 'old_code' ? 'clock' : 'devices'}>
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
    </ScreenFrame>
  );
}
