// This device has no part in the check, or no longer.
import type { Screen } from '../../course/screens.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

type StoppedScreen = Extract<Screen, { name: 'stopped' }>;

const STOPPED_DRAWINGS: Record<StoppedScreen['why'], DrawingName> = {
  elsewhere: 'devices',
  third_device: 'devices',
  old_code: 'clock',
  other_number: 'attention',
  not_mine: 'check',
};

export function StoppedView({ screen, words }: ScreenProps<StoppedScreen>) {
  return (
    <ScreenFrame screen={screen} words={words} drawing={STOPPED_DRAWINGS[screen.why]}>
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
    </ScreenFrame>
  );
}
