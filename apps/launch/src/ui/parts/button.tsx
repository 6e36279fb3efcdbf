// The page's buttons. A busy button stays focusable and announces that, but does nothing.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';

interface ButtonProps {
  kind: 'primary' | 'secondary' | 'quiet';
  onPress?: () => void;
  busy?: boolean;
  drawing?: DrawingName;
  focusFirst?: boolean;
  /** Keyboard shortcut, as in `aria-keyshortcuts`. */
  keys?: string;
  /** Id of the form that it submits. */
  form?: string;
  children: ComponentChildren;
}

export function Button({
  kind,
  onPress,
  busy = false,
  drawing,
  focusFirst = false,
  keys,
  form,
  children,
}: ButtonProps) {
  return (
    <button
      type={form ? 'submit' : 'button'}
      form={form}
      class={`button ${kind}`}
      aria-disabled={busy || undefined}
      aria-keyshortcuts={keys}
      data-first={focusFirst || undefined}
      onClick={() => busy || onPress?.()}
    >
      {busy && <span class="spinner" />}
      {drawing && !busy && <Drawing name={drawing} />}
      <span>{children}</span>
    </button>
  );
}

interface FileButtonProps {
  onFile(file: Blob): void;
  hint: string;
  children: ComponentChildren;
}

export function FileButton({ onFile, hint, children }: FileButtonProps) {
  const hintId = useId();
  return (
    <div class="file">
      <label class="button secondary">
        <input
          type="file"
          accept="image/*"
          class="unseen"
          aria-describedby={hintId}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            // Resets the input, so that the same file can be chosen again.
            currentTarget.value = '';
            if (file) onFile(file);
          }}
        />
        <span>{children}</span>
      </label>
      <p id={hintId} class="small">
        {hint}
      </p>
    </div>
  );
}
