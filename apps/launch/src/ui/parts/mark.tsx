// The doorway that is the project's sign.

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <rect width="64" height="64" rx="16" />
      <path d="M19 49V29a13 13 0 0 1 26 0v20M13 49h38" />
    </svg>
  );
}
