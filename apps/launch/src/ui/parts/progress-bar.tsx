// A progress bar, indeterminate without a share.

export function ProgressBar({ share, label }: { share: number | null; label: string }) {
  const percent = share === null ? undefined : Math.round(share * 100);
  return (
    <div
      class="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class={percent === undefined ? 'unknown' : 'known'} width={percent ?? 30} height="4" />
      </svg>
    </div>
  );
}
