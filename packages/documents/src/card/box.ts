// A part of a picture with upright sides.

/** In pixels; `right` and `bottom` are the first ones outside. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
