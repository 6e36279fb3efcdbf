// A field of a form: its label, what it is for, and what is wrong with it, each tied to it for who does not see them.
import type { RefObject } from 'preact';

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

export function TextField({ input, type, label, aside, hint, error }: TextFieldProps) {
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
