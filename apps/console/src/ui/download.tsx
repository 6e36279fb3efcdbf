// Files that the page makes itself: nothing of them goes anywhere but to the reader's disk.

/** Long enough for the browser to have begun. */
const KEPT_MS = 10_000;

export function saveAs(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

interface DownloadButtonProps {
  name: string;
  type: string;
  text: string;
  label: string;
}

export function DownloadButton({ name, type, text, label }: DownloadButtonProps) {
  return (
    <button type="button" class="small" onClick={() => saveAs(name, type, text)}>
      {label}
    </button>
  );
}
