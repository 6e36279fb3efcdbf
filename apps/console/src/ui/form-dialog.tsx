// A dialog with a form. Errors appear above its buttons.
import type { ComponentChildren } from 'preact';
import { submitOnShortcut } from '../keyboard.ts';
import { TEXTS } from '../texts.ts';
import { Dialog, Problem, useAction } from './parts.tsx';

interface FormDialogProps {
  heading: string;
  /** Label of the submit button. */
  button: string;
  /** Text above the fields. */
  text?: string;
  work: (form: FormData) => Promise<void>;
  onClose: () => void;
  children?: ComponentChildren;
}

export function FormDialog({ heading, button, text, work, onClose, children }: FormDialogProps) {
  const [isBusy, problem, run] = useAction();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    run(() => work(form));
  };
  return (
    <Dialog heading={heading} onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      <form onSubmit={submit} onKeyDown={submitOnShortcut}>
        {children}
        {problem && <Problem error={problem} />}
        <div class="row end">
          <button type="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface TextFieldProps {
  name: string;
  label: string;
  hint: string;
  maxLength: number;
  required?: boolean;
}

/** A single-line field with a hint. */
export function TextField({ name, label, hint, maxLength, required = false }: TextFieldProps) {
  const hintId = `${name}-hint`;
  return (
    <>
      <label>
        {label}
        <input name={name} required={required} maxLength={maxLength} autocomplete="off" aria-describedby={hintId} />
      </label>
      <p id={hintId} class="quiet small-text">
        {hint}
      </p>
    </>
  );
}

/** Value of a field. */
export function readField(form: FormData, name: string): string {
  return String(form.get(name) ?? '').trim();
}
