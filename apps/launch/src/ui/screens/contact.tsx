// A short form for how the person can be reached. What is typed stays in the form until it is given.

import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ContactScreen } from '../../course/screens.ts';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const FIELDS = {
  email: { type: 'email', label: 'contact.email', error: 'contact.emailError', hint: null },
  phone: { type: 'tel', label: 'contact.phone', error: 'contact.phoneError', hint: 'contact.phoneHint' },
} as const;

const FORM_ID = 'contact-form';

/** An example is read from the left, and on one line, in every language. */
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
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      {/* The page says itself what is wrong, in its own language. */}
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
  /** Also what the browser offers to fill in. */
  type: 'email' | 'tel';
  label: string;
  /** Beside the label. */
  aside: string;
  hint: string | null;
  error: string | null;
}

function TextField({ input, type, label, aside, hint, error }: TextFieldProps) {
  // One of each type is on the page at most.
  const id = `field-${type}`;
  // What is wrong says the same as the hint, and more.
  const note = error ?? hint;
  const noteId = `${id}-note`;
  const attributes = {
    ref: input,
    id,
    name: type,
    autoComplete: type,
    maxLength: 254,
    spellcheck: false,
    // Addresses and numbers are written from the left in every language.
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
