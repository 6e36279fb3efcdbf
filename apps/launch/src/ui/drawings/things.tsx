// Drawings of things on a 64 × 64 grid.

export const THINGS = {
  camera: (
    <>
      <path d="M24 17l3-5h10l3 5h10a6 6 0 0 1 6 6v23a6 6 0 0 1-6 6H14a6 6 0 0 1-6-6V23a6 6 0 0 1 6-6z" />
      <circle cx="32" cy="34" r="10" />
    </>
  ),
  cameraOff: (
    <>
      <path d="M30 12h7l3 5h10a6 6 0 0 1 6 6v21M49 52H14a6 6 0 0 1-6-6V23a6 6 0 0 1 5-5.9M25 27a10 10 0 1 0 14 14" />
      <path d="M9 9l46 46" />
    </>
  ),
  phone: (
    <>
      <rect x="18" y="6" width="28" height="52" rx="6" />
      <path d="M28 51h8" />
    </>
  ),
  devices: (
    <>
      <path d="M30 46H11a4 4 0 0 1-4-4V16a4 4 0 0 1 4-4h38a4 4 0 0 1 4 4v4M5 54h25" />
      <rect x="38" y="27" width="19" height="30" rx="4" />
      <path d="M46 51h3" />
    </>
  ),
  lamp: (
    <>
      <path d="M23 44c0-6-8-9-8-19a17 17 0 0 1 34 0c0 10-8 13-8 19zM24 51h16M28 58h8" />
    </>
  ),
  sun: (
    <>
      <circle cx="32" cy="32" r="11" />
      <path d="M32 6v7M32 51v7M6 32h7M51 32h7M13.6 13.6l5 5M45.4 45.4l5 5M13.6 50.4l5-5M45.4 18.6l5-5" />
    </>
  ),
  lens: (
    <>
      <circle cx="32" cy="32" r="23" />
      <circle cx="32" cy="32" r="13" stroke-dasharray="3 5.17" />
      <circle class="dot" cx="32" cy="32" r="3" />
    </>
  ),
  lock: (
    <>
      <rect x="12" y="28" width="40" height="28" rx="6" />
      <path d="M21 28v-7a11 11 0 0 1 22 0v7M32 39v6" />
    </>
  ),
  key: (
    <>
      <circle cx="21" cy="43" r="13" />
      <path d="M31 33 55 9M44 20l9 9M51 13l7 7" />
    </>
  ),
  contact: (
    <>
      <rect x="6" y="13" width="52" height="38" rx="6" />
      <path d="M8 18l24 18 24-18" />
    </>
  ),
  send: <path d="M56 8 6 27l20 10 10 20zM56 8 26 37" />,
  offline: (
    <path d="M8 25a36 36 0 0 1 12-7M30 14.5a36 36 0 0 1 26 10.5M16 35a24 24 0 0 1 11-6M41 30.5a24 24 0 0 1 7 4.5M25 44a10 10 0 0 1 14 0M32 53h.01M10 8l44 48" />
  ),
  link: (
    <path d="M26 20l6-6a12.7 12.7 0 0 1 18 18l-6 6M38 44l-6 6a12.7 12.7 0 0 1-18-18l6-6M24 9v5M9 24h5M40 55v-5M55 40h-5" />
  ),
  copy: (
    <>
      <rect x="22" y="22" width="34" height="34" rx="6" />
      <path d="M14 42a6 6 0 0 1-6-6V14a6 6 0 0 1 6-6h22a6 6 0 0 1 6 6" />
    </>
  ),
  document: (
    <>
      <rect x="6" y="14" width="52" height="37" rx="6" />
      <circle cx="21" cy="29" r="5" />
      <path d="M13 43a8.5 8.5 0 0 1 16 0M38 27h12M38 36h12" />
    </>
  ),
  browser: (
    <>
      <rect x="6" y="11" width="52" height="42" rx="6" />
      <path d="M6 23h52M25 32l14 12M39 32 25 44" />
    </>
  ),
};

export const SIGNS = {
  // Left and right of the screen in every language, because the preview is mirrored.
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
