// Announces the current room in the title and to screen readers.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

/** The browser announces the first room itself. */
let isFirst = true;

/** Runs before paint, so that a key pressed at once does not lose its focus to the heading. */
export function useHeading(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · ${TEXTS.title}`;
  }, [title]);
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return heading;
}
