// Asks for the code that the phone shows at the end, before this device continues.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ReturnCodeScreen } from '../../course/screens.ts';
import { returnErrors } from '../announce.ts';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

const FORM_ID = 'return-form';
const FIELD_ID = 'field-code';
const NOTE_ID = 'field-code-note';

export function ReturnCodeView({ screen, actions, words }: ScreenProps<ReturnCodeScreen>) {
  const { state, triesLeft } = screen;
  const input = useRef<HTMLInputElement>(null);
  const errors = returnErrors(screen, words);
  // Runs before the person can type the next code.
  useLayoutEffect(() => {
    const field = input.current!;
    if (state === 'wrong') field.value = '';
    if (state === 'wrong' || state === 'incomplete') field.focus();
  }, [state, triesLeft]);

  function give(event: Event): void {
    event.preventDefault();
    if (state !== 'checking') actions.giveReturnCode(input.current?.value ?? '');
  }

  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="phone"
      buttons={
        <Button kind="primary" form={FORM_ID} busy={state === 'checking'}>
          {words.text('action.continue')}
        </Button>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      {/* The page shows faults itself, in its own language. */}
      <form id={FORM_ID} class="form" noValidate onSubmit={give}>
        <div class="field">
          <label for={FIELD_ID}>
            <b>{words.text('return.label')}</b>
          </label>
          {/* No `maxLength`, because pasted text may contain spaces. */}
          <input
            ref={input}
            id={FIELD_ID}
            class="code-field"
            type="text"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            spellcheck={false}
            dir="ltr"
            aria-invalid={errors.length > 0 || undefined}
            aria-describedby={errors.length > 0 ? NOTE_ID : undefined}
          />
          {errors.length > 0 && (
            <p id={NOTE_ID} class="error">
              {errors.join(' ')}
            </p>
          )}
        </div>
      </form>
    </ScreenFrame>
  );
}
