// Screens of passkeys: before, during and after the browser's prompt, and the age key page.
import type { MyAgeKeyScreen, PasskeyScreen } from '../../course/screens.ts';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton, OtherDeviceButton } from '../parts/ways-out.tsx';

export function PasskeyView({ screen, actions, words }: ScreenProps<PasskeyScreen>) {
  const { operation, state, canUsePhone } = screen;
  const canAsk = state !== 'unsupported';
  const isFirst = state === 'explain' || state === 'asking';
  const begin = operation === 'register' ? 'passkey.makeButton' : 'passkey.useButton';
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="key"
      buttons={
        <>
          {canAsk && (
            <Button kind="primary" busy={state === 'asking'} onPress={actions.usePasskey}>
              {words.text(isFirst ? begin : 'action.retry')}
            </Button>
          )}
          {(canUsePhone || !canAsk) && <OtherDeviceButton actions={actions} words={words} isMain={!canAsk} />}
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      {isFirst && operation === 'register' && <p class="small">{words.text('passkey.private')}</p>}
    </ScreenFrame>
  );
}

export function MyAgeKeyView({ screen, actions, words }: ScreenProps<MyAgeKeyScreen>) {
  const { state } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="key"
      buttons={
        state !== 'unsupported' && (
          <Button kind="primary" busy={state === 'asking'} onPress={actions.deleteAgeKey}>
            {words.text(state === 'failed' ? 'action.retry' : 'mine.button')}
          </Button>
        )
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
    </ScreenFrame>
  );
}
