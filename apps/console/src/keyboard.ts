// Single-key shortcuts: off for those who do not want them, and never while somebody types.
import { useEffect, useRef } from 'preact/hooks';

const SETTING = 'limen-console-shortcuts';
/** The second key of a pair must follow within this time. */
const PAIR_MS = 1_000;

export const areShortcutsOn = (): boolean => localStorage.getItem(SETTING) !== 'off';

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(SETTING);
  else localStorage.setItem(SETTING, 'off');
}

/** By `j`, or by `g s` for one after the other. */
export type Shortcuts = Readonly<Record<string, () => void>>;

export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    let first = { key: '', at: 0 };
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areShortcutsOn()) return;
      if (document.querySelector('dialog[open]')) return;
      const isPair = event.timeStamp - first.at < PAIR_MS;
      const act = (isPair ? latest.current[`${first.key} ${event.key}`] : undefined) ?? latest.current[event.key];
      first = { key: event.key, at: event.timeStamp };
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** For a form with more than one line to write, in which Enter begins the next: Ctrl and Enter send it, on a Mac ⌘. */
export function sendByKeys(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  // As its button would: what is under way is not sent twice.
  if (!form.querySelector<HTMLButtonElement>('[type="submit"]')?.disabled) form.requestSubmit();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null;
}
