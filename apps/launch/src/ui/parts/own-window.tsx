// Where a check cannot begin in the frame that it is in: why, and the way out of it.
import type { FrameObstacle } from '../../course/screens.ts';
import type { TextKey, Translator } from '../../i18n/index.ts';
import { LeavingLink } from './leaving-link.tsx';

export const OBSTACLE_TEXTS: Record<FrameObstacle, TextKey> = {
  covered: 'frame.covered',
  no_camera_policy: 'permission.insecureHeading',
};

export function OwnWindow({ obstacle, words }: { obstacle: FrameObstacle; words: Translator }) {
  return (
    <div class="own-window">
      <p class="notice">{words.text(OBSTACLE_TEXTS[obstacle])}</p>
      <LeavingLink href={location.href} class="button primary" onPress={lookAgainLater}>
        <span>{words.text('frame.window')}</span>
      </LeavingLink>
    </div>
  );
}

/** Whoever comes back from the other window sees here, and the host hears, what has become of the session. */
function lookAgainLater(): void {
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && location.reload());
}
