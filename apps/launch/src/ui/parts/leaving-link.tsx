// A link that leaves the page; in a frame, in a new window.
import type { ComponentChildren } from 'preact';
import type { FrameObstacle } from '../../course/screens.ts';
import type { TextKey, Translator } from '../../i18n/index.ts';

interface LeavingLinkProps {
  href: string;
  class?: string;
  onPress?: () => void;
  children: ComponentChildren;
}

export function LeavingLink({ href, class: name, onPress, children }: LeavingLinkProps) {
  return (
    <a href={href} class={name} onClick={onPress} {...(isFramed() && { target: '_blank', rel: 'noopener' })}>
      {children}
    </a>
  );
}

export function isFramed(): boolean {
  return window.parent !== window;
}

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

/** Reloads the page when the person returns, so that page and host get the current state. */
function lookAgainLater(): void {
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && location.reload());
}
