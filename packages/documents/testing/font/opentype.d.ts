// The used part of opentype.js, which has no types.
declare module 'opentype.js' {
  export interface PathCommand {
    type: 'M' | 'L' | 'C' | 'Q' | 'Z';
    x: number;
    y: number;
    x1: number;
    y1: number;
    x2: number;
    y2: number;
  }
  interface Glyph {
    advanceWidth: number;
    path: { commands: PathCommand[] };
  }
  interface OpenTypeFont {
    unitsPerEm: number;
    charToGlyph(character: string): Glyph;
  }
  const opentype: { parse(bytes: ArrayBuffer): OpenTypeFont };
  // biome-ignore lint/style/noDefaultExport: a CommonJS module has no other.
  export default opentype;
}
