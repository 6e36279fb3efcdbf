// Keyboard navigation of a list: j and k move between the links of rows.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../keyboard.ts';

/** `key` identifies the list; another list starts at its first row. */
export function useRowKeys(count: number, key: string) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [chosen, setChosen] = useState(0);
  useEffect(() => setChosen(0), [key]);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(count - 1, chosen + by));
    setChosen(next);
    body.current?.rows[next]?.querySelector('a')?.focus();
  };
  useShortcuts({
    j: () => move(document.activeElement?.closest('tbody') ? 1 : 0),
    k: () => move(-1),
  });
  return { body, choose: setChosen };
}
