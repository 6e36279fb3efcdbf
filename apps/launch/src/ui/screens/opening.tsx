// The page before it knows anything.
import type { Screen } from '../../course/screens.ts';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

export function OpeningView({ screen, words }: ScreenProps<Extract<Screen, { name: 'opening' }>>) {
  return (
    <ScreenFrame screen={screen} words={words}>
      <div class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
    </ScreenFrame>
  );
}
