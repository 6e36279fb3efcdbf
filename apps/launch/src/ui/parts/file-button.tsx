// A button that lets somebody choose a picture: the browser's own control, under a label that looks like the others.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FileButtonProps {
  onFile(file: Blob): void;
  /** A line under it. */
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
            // The same one can be chosen again.
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
