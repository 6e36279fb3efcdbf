// Form for contact details. Input is kept until it is submitted.

import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ContactScreen } from '../../course/screens.ts';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const FIELDS = {
  email: { type: 'email', label: 'contact.email', error: 'contact.emailError', hint: null },
  phone: { type: 'tel', label: 'contact.phone', error: 'contact.phoneError', hint: 'contact.phoneHint' },
} as const;

const FORM_ID = 'contact-form';

/** Examples are left-to-right and unbroken in every language. */
const isolateExample = (text: string) =>
  text.replace(/\+[\d ]+\d|[\w.]+@[\w.]+/g, (example) => `\u2066${example.replaceAll(' ', '\u00a0')}\u2069`);

export function ContactView({ screen, actions, words }: ScreenProps<ContactScreen>) {
  const { fields, faults } = screen;
  const inputs = { email: useRef<HTMLInputElement>(null), phone: useRef<HTMLInputElement>(null) };
  useEffect(() => {
    const [first] = faults;
    if (first) inputs[first].current?.focus();
  }, [faults]);

  function give(event: Event): void {
    event.preventDefault();
    actions.giveContact(Object.fromEntries(fields.map((field) => [field, inputs[field].current?.value ?? ''])));
  }

  return (
    <ScreenFrame
      screen={screen}
      words={words}
      buttons={
        <>
          <Button kind="primary" form={FORM_ID}>
            {words.text('action.continue')}
          </Button>
          <Button kind="quiet" onPress={() => actions.giveContact({})}>
            {words.text('contact.skip')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      {/* The page shows faults itself, in its own language. */}
      <form id={FORM_ID} class="form" noValidate onSubmit={give}>
        {fields.map((field) => {
          const { type, label, error, hint } = FIELDS[field];
          return (
            <TextField
              key={field}
              input={inputs[field]}
              type={type}
              label={words.text(label)}
              aside={words.text('contact.optional')}
              hint={hint && isolateExample(words.text(hint))}
              error={faults.includes(field) ? isolateExample(words.text(error)) : null}
            />
          );
        })}
      </form>
      <p class="small">{words.text('contact.private')}</p>
    </ScreenFrame>
  );
}

interface TextFieldProps {
  input: RefObject<HTMLInputElement | null>;
  /** Also selects the browser's autofill. */
  type: 'email' | 'tel';
  label: string;
  /** Text next to the label. */
  aside: string;
  hint: string | null;
  error: string | null;
}

function TextField({ input, type, label, aside, hint, error }: TextFieldProps) {
  // The page has at most one field of each type.
  const id = `field-${type}`;
  // The fault replaces the hint, because it contains the same information.
  const note = error ?? hint;
  const noteId = `${id}-note`;
  const attributes = {
    ref: input,
    id,
    name: type,
    autoComplete: type,
    maxLength: 254,
    spellcheck: false,
    // Addresses and numbers are left-to-right in every language.
    dir: 'ltr' as const,
    'aria-invalid': error !== null || undefined,
    'aria-describedby': note === null ? undefined : noteId,
  };
  return (
    <div class="field">
      <label for={id}>
        <b>{label}</b> <span class="small">{aside}</span>
      </label>
      {type === 'email' ? <input type="email" {...attributes} /> : <input type="tel" {...attributes} />}
      {note && (
        <p id={noteId} class={error ? 'error' : 'small'}>
          {note}
        </p>
      )}
    </div>
  );
}
