// Button that stops the screen's colors: large, and with Escape as its shortcut.
import { useEffect } from 'preact/hooks';
import type { Actions } from '../../course/screens.ts';
import type { Translator } from '../../i18n/index.ts';
import { Button } from './button.tsx';

export function StopColors({ actions, words }: { actions: Actions; words: Translator }) {
  useEffect(() => {
    const stop = (event: KeyboardEvent) => {
      // In a dialog, Escape closes the dialog.
      if (event.key === 'Escape' && !document.querySelector('dialog[open]')) actions.stopColours();
    };
    addEventListener('keydown', stop);
    return () => removeEventListener('keydown', stop);
  }, [actions]);
  return (
    <Button kind="primary" keys="Escape" onPress={actions.stopColours}>
      {words.text('light.stop')}
    </Button>
  );
}
