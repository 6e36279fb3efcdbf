// Says where one is now: in the title, and to a reader that follows the focus.
import { useEffect, useRef } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

/** The first room is announced by the browser itself. */
let isFirst = true;

export function useHeading(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${TEXTS.title}`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return heading;
}
