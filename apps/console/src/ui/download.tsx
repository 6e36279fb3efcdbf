// Downloads built in the page. Their content is not sent anywhere.

/** Time for the browser to start the download. */
const DOWNLOAD_START_MS = 10_000;

export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_START_MS);
}

interface DownloadButtonProps {
  name: string;
  type: string;
  text: string;
  label: string;
}

export function DownloadButton({ name, type, text, label }: DownloadButtonProps) {
  return (
    <button type="button" class="small" onClick={() => saveFile(name, type, text)}>
      {label}
    </button>
  );
}
