// Says where one is now: in the title, and to a reader that follows the focus.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

/** The first room is announced by the browser itself. */
let isFirst = true;

/** Before the room is seen: no key that is pressed at once loses its focus to the heading. */
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
