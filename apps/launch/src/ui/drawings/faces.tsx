// Drawings of faces on a 64 × 64 grid.

const eyes = (
  <>
    <circle class="dot" cx="26" cy="29" r="2" />
    <circle class="dot" cx="38" cy="29" r="2" />
  </>
);
const mouth = <path d="M26 39q6 4.5 12 0" />;
const head = <ellipse cx="32" cy="32" rx="15" ry="19" />;
const corners = (
  <path d="M8 19v-5a6 6 0 0 1 6-6h5M45 8h5a6 6 0 0 1 6 6v5M56 45v5a6 6 0 0 1-6 6h-5M19 56h-5a6 6 0 0 1-6-6v-5" />
);

export const FACES = {
  face: (
    <>
      <ellipse cx="32" cy="32" rx="21" ry="26" />
      <circle class="dot" cx="24" cy="28" r="3" />
      <circle class="dot" cx="40" cy="28" r="3" />
      <path d="M24 42q8 6 16 0" />
    </>
  ),
  faceInView: (
    <>
      {corners}
      {head}
      {eyes}
      {mouth}
    </>
  ),
  noFace: (
    <>
      {corners}
      <ellipse cx="32" cy="32" rx="15" ry="19" stroke-dasharray="3 5.2" />
    </>
  ),
  severalFaces: (
    <>
      <ellipse cx="23" cy="32" rx="13" ry="17" />
      <circle class="dot" cx="18" cy="30" r="1.8" />
      <circle class="dot" cx="28" cy="30" r="1.8" />
      <path d="M18.5 38.5q4.5 3.5 9 0M38 17.3a13 17 0 1 1 0 29.4M47 30h.01M41.5 40q3.5 1 6-1.5" />
    </>
  ),
  closedEyes: (
    <>
      <path d="M4 26q11 14 24 0M36 26q11 14 24 0" />
      <path d="M10 34l-4 6M22 34l4 6M42 34l-4 6M54 34l4 6" />
    </>
  ),
  glasses: (
    <>
      <circle cx="18" cy="36" r="11" />
      <circle cx="46" cy="36" r="11" />
      <path d="M29 34q3-3 6 0M7 34l3-12M57 34l-3-12" />
    </>
  ),
};
