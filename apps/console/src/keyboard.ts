// Single-key shortcuts. They can be disabled, and are ignored while the user types.
import { useEffect, useRef } from 'preact/hooks';

const SETTING = 'limen-console-shortcuts';
/** Time limit for the second key of a pair. */
const PAIR_MS = 1_000;

export const areShortcutsOn = (): boolean => localStorage.getItem(SETTING) !== 'off';

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(SETTING);
  else localStorage.setItem(SETTING, 'off');
}

/** Actions by key, such as `j`, or by key sequence, such as `g s`. */
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

/** Submits a multi-line form with Ctrl+Enter, or ⌘+Enter on a Mac. */
export function submitOnShortcut(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  // Like its button, the shortcut does not submit twice.
  if (!form.querySelector<HTMLButtonElement>('[type="submit"]')?.disabled) form.requestSubmit();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null;
}
