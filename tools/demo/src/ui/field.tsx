// Form fields: a label, the API's name, a control.
import type { ComponentChildren } from 'preact';

interface Labeled {
  id: string;
  label: string;
  /** Its name in the API. */
  name: string;
  /** Uses a full row. */
  wide?: boolean;
}

export function Field({ id, label, name, wide = false, children }: Labeled & { children: ComponentChildren }) {
  return (
    <div class={wide ? 'field field-wide' : 'field'}>
      <label for={id}>{label}</label>
      <code id={`${id}-name`}>{name}</code>
      {children}
    </div>
  );
}

interface SelectField<T extends string> extends Labeled {
  value: T;
  choices: readonly (readonly [value: T, text: string])[];
  onChange(value: T): void;
}

export function SelectField<T extends string>({ value, choices, onChange, ...labeled }: SelectField<T>) {
  return (
    <Field {...labeled}>
      <select
        id={labeled.id}
        aria-describedby={`${labeled.id}-name`}
        onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
      >
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface AgeField extends Labeled {
  value: number | null;
  /** Shown if there is none. */
  placeholder?: string;
  onChange(value: number | null): void;
}

export function AgeField({ value, placeholder, onChange, ...labeled }: AgeField) {
  return (
    <Field {...labeled}>
      <input
        id={labeled.id}
        type="number"
        inputMode="numeric"
        min={1}
        max={120}
        required={placeholder === undefined}
        placeholder={placeholder}
        aria-describedby={`${labeled.id}-name`}
        value={value ?? ''}
        onInput={({ currentTarget }) => {
          onChange(Number.isNaN(currentTarget.valueAsNumber) ? null : currentTarget.valueAsNumber);
        }}
      />
    </Field>
  );
}

interface TextField extends Labeled {
  value: string;
  maxLength: number;
  required?: boolean;
  placeholder?: string;
  onChange(value: string): void;
}

export function TextField({ value, maxLength, required = false, placeholder, onChange, ...labeled }: TextField) {
  return (
    <Field {...labeled}>
      <input
        id={labeled.id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        maxLength={maxLength}
        required={required}
        placeholder={placeholder}
        value={value}
        aria-describedby={`${labeled.id}-name`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  );
}

interface CheckField extends Labeled {
  about: string;
  checked: boolean;
  onChange(checked: boolean): void;
}

export function CheckField({ id, label, name, about, checked, onChange }: CheckField) {
  return (
    <div class="field field-check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={`${id}-about`}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <code>{name}</code>
      <p id={`${id}-about`}>{about}</p>
    </div>
  );
}
