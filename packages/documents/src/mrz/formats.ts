// Field positions and characters of the five machine-readable zone formats (ICAO Doc 9303 parts 4
// to 7). A zone is one text here, with its lines joined.

export type ZoneFormat = 'TD1' | 'TD2' | 'TD3' | 'MRV-A' | 'MRV-B';

/** Start and exclusive end. */
export type Span = readonly [from: number, to: number];

export type FieldName =
  | 'code'
  | 'issuer'
  | 'number'
  | 'nationality'
  | 'birth'
  | 'sex'
  | 'expiry'
  | 'names'
  | 'optional'
  | 'optionalMore';

export interface ZoneLayout {
  readonly lines: number;
  readonly width: number;
  readonly spans: Readonly<Partial<Record<FieldName, Span>>> &
    Readonly<Record<Exclude<FieldName, 'optionalMore'>, Span>>;
  readonly numberDigit: number;
  readonly birthDigit: number;
  readonly expiryDigit: number;
  readonly optionalDigit: number | null;
  /** Null for visas. */
  readonly compositeDigit: number | null;
  /** Spans covered by the composite digit, in order. */
  readonly composite: readonly Span[];
  /** Whether a number may continue in the optional data. */
  readonly longNumbers: boolean;
  /** Allowed first characters of the document code. */
  readonly initials: string;
}

const TD1: ZoneLayout = {
  lines: 3,
  width: 30,
  spans: {
    code: [0, 2],
    issuer: [2, 5],
    number: [5, 14],
    optional: [15, 30],
    birth: [30, 36],
    sex: [37, 38],
    expiry: [38, 44],
    nationality: [45, 48],
    optionalMore: [48, 59],
    names: [60, 90],
  },
  numberDigit: 14,
  birthDigit: 36,
  expiryDigit: 44,
  optionalDigit: null,
  compositeDigit: 59,
  composite: [
    [5, 30],
    [30, 37],
    [38, 45],
    [48, 59],
  ],
  longNumbers: true,
  initials: 'ACI',
};

/** Two-line formats differ in their width and the end of the second line. */
function createTwoLineLayout(
  width: number,
  end: Partial<ZoneLayout> & { optional: Span; initials: string },
): ZoneLayout {
  const { optional, ...rest } = end;
  const shift = ([from, to]: Span): Span => [width + from, width + to];
  return {
    lines: 2,
    width,
    spans: {
      code: [0, 2],
      issuer: [2, 5],
      names: [5, width],
      number: shift([0, 9]),
      nationality: shift([10, 13]),
      birth: shift([13, 19]),
      sex: shift([20, 21]),
      expiry: shift([21, 27]),
      optional: shift(optional),
    },
    numberDigit: width + 9,
    birthDigit: width + 19,
    expiryDigit: width + 27,
    optionalDigit: null,
    compositeDigit: null,
    composite: [],
    longNumbers: false,
    ...rest,
  };
}

const TD2 = createTwoLineLayout(36, {
  optional: [28, 35],
  compositeDigit: 71,
  composite: [
    [36, 46],
    [49, 56],
    [57, 71],
  ],
  longNumbers: true,
  initials: 'ACI',
});

const TD3 = createTwoLineLayout(44, {
  optional: [28, 42],
  optionalDigit: 86,
  compositeDigit: 87,
  composite: [
    [44, 54],
    [57, 64],
    [65, 87],
  ],
  initials: 'P',
});

export const LAYOUTS: Readonly<Record<ZoneFormat, ZoneLayout>> = {
  TD1,
  TD2,
  TD3,
  'MRV-A': createTwoLineLayout(44, { optional: [28, 44], initials: 'V' }),
  'MRV-B': createTwoLineLayout(36, { optional: [28, 36], initials: 'V' }),
};

/** Chooses by number of lines, width and first character; null if it is no zone. */
export function chooseFormat(lines: number, width: number, initial: string): ZoneFormat | null {
  for (const [format, layout] of Object.entries(LAYOUTS) as [ZoneFormat, ZoneLayout][]) {
    if (layout.lines === lines && layout.width === width && layout.initials.includes(initial)) return format;
  }
  return null;
}
