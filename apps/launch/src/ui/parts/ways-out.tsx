// Secondary buttons of most screens: cancel, or continue on another device.
import type { Actions } from '../../course/screens.ts';
import type { Translator } from '../../i18n/index.ts';
import { Button } from './button.tsx';

interface WayOutProps {
  actions: Actions;
  words: Translator;
}

export function CancelButton({ actions, words }: WayOutProps) {
  return (
    <Button kind="quiet" onPress={actions.askToCancel}>
      {words.text('action.cancel')}
    </Button>
  );
}

/** `isMain`: the only way to continue. */
export function OtherDeviceButton({ actions, words, isMain = false }: WayOutProps & { isMain?: boolean }) {
  return (
    <Button kind={isMain ? 'primary' : 'secondary'} onPress={actions.usePhone}>
      {words.text('action.otherDevice')}
    </Button>
  );
}
