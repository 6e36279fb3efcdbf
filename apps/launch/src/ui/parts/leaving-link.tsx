// A link that leads away from the page: out of a frame, into a window of its own.
import type { ComponentChildren } from 'preact';
import { isFramed } from '../is-framed.ts';

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
