// Drawings that point, confirm or warn, on a grid of 64 × 64.

export const SIGNS = {
  // Left and right are the screen's, in every language: the preview is a mirror.
  arrowLeft: <path d="M54 32H11M28 14 10 32l18 18" />,
  arrowRight: <path d="M10 32h43M36 14l18 18-18 18" />,
  arrowUp: <path d="M32 54V11M14 28l18-18 18 18" />,
  arrowDown: <path d="M32 10v43M14 36l18 18 18-18" />,
  closer: <path d="M24 24 9 9M9 20V9h11M40 24 55 9M44 9h11v11M24 40 9 55M9 44v11h11M40 40l15 15M55 44v11H44" />,
  farther: <path d="M9 9l15 15M24 13v11H13M55 9 40 24M51 24H40V13M9 55l15-15M13 40h11v11M55 55 40 40M40 51V40h11" />,
  check: <path d="M12 34l14 14 26-32" />,
  cross: <path d="M16 16l32 32M48 16 16 48" />,
  attention: (
    <>
      <path d="M32 18v18" />
      <circle class="dot" cx="32" cy="46" r="2.4" />
      <circle cx="32" cy="32" r="24" />
    </>
  ),
  wait: (
    <>
      <circle class="dot" cx="16" cy="32" r="3" />
      <circle class="dot" cx="32" cy="32" r="3" />
      <circle class="dot" cx="48" cy="32" r="3" />
    </>
  ),
  clock: (
    <>
      <circle cx="32" cy="32" r="23" />
      <path d="M32 18v15l10 7" />
    </>
  ),
};
