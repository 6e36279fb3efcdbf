// The networks' kernels in WebAssembly text. Only scripts/build-kernel.ts reads it and builds two
// modules.
// | Feature maps are stored pixel by pixel, with the channels of a pixel adjacent and zero-padded
// to a multiple of eight. Every kernel that computes one ends the same way: negative values are
// multiplied with the slope of their channel (0 for ReLU, 1 for none), and values are limited to
// `most`.
// | All kernels assume at least one row, column, pixel, channel and panel, because loops test at
// their end; planners reject sizes of zero. Padding channels are computed like all others and may
// contain any finite value (a sigmoid leaves 0.5); their weights are zero.
import { PANEL } from './kernel.ts';

/** a × b + c per lane. */
type MultiplyAdd = (a: string, b: string, c: string) => string;

/** One instruction if the processor has it, with one or two roundings. */
const relaxedMadd: MultiplyAdd = (a, b, c) => `(f32x4.relaxed_madd ${a} ${b} ${c})`;
const plainMadd: MultiplyAdd = (a, b, c) => `(f32x4.add (f32x4.mul ${a} ${b}) ${c})`;

const get = (name: string) => `(local.get $${name})`;
const set = (name: string, value: string) => `(local.set $${name} ${value})`;
const i32 = (value: number) => `(i32.const ${value})`;
const add = (a: string, b: string) => `(i32.add ${a} ${b})`;
const subtract = (a: string, b: string) => `(i32.sub ${a} ${b})`;
const multiply = (a: string, b: string) => `(i32.mul ${a} ${b})`;
const advance = (name: string, by: string) => set(name, add(get(name), by));
const load = (at: string, offset = 0) => `(v128.load offset=${offset} ${at})`;
const store = (at: string, value: string, offset = 0) => `(v128.store offset=${offset} ${at} ${value})`;
const parameters = (type: string, names: readonly string[]) =>
  names.map((name) => `(param $${name} ${type})`).join(' ');
const locals = (type: string, names: readonly string[]) => names.map((name) => `(local $${name} ${type})`).join(' ');
const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const lines = (parts: readonly string[]) => parts.join('\n');

const PANEL_BYTES = PANEL * 4;
const HALVES = [0, 1];
/** With two registers of weights and one of input, these fill the registers of x86. */
const TILE_ROWS = 6;
const UNROLLED = 4;

const ZERO = '(v128.const f32x4 0 0 0 0)';

/** Uses native minimum and maximum. A slope of zero gives zero even for infinite sums. */
function bend(value: string, slope: string): string {
  const positive = `(f32x4.pmax ${value} ${ZERO})`;
  const negative = `(f32x4.pmin ${value} ${ZERO})`;
  const bent = `(v128.and (f32x4.mul ${negative} ${slope}) (f32x4.ne ${slope} ${ZERO}))`;
  return `(f32x4.pmin (f32x4.add ${positive} ${bent}) ${get('limit')})`;
}

const setLimit = set('limit', `(f32x4.splat ${get('most')})`);

/**
 * Multiplies rows of a matrix with packed weights: panels of eight adjacent outputs, one input
 * after the other. The last tile of rows overlaps the previous one and recomputes part of it.
 */
function writeMultiply(madd: MultiplyAdd): string {
  const accumulators = (rows: number) => range(rows).flatMap((row) => HALVES.map((half) => `sum${row}${half}`));
  const step = (rows: number, at: number) => `
        ${lines(HALVES.map((half) => set(`b${half}`, load(get('weight'), at * PANEL_BYTES + half * 16))))}
        ${lines(
          range(rows).map(
            (row) => `
        ${set('value', `(v128.load32_splat offset=${at * 4} ${get(`a${row}`)})`)}
        ${lines(HALVES.map((half) => set(`sum${row}${half}`, madd(get('value'), get(`b${half}`), get(`sum${row}${half}`)))))}`,
          ),
        )}`;
  const tile = (rows: number) => `
      ${lines(range(rows).map((row) => set(`a${row}`, row === 0 ? get('row') : add(get(`a${row - 1}`), get('stride')))))}
      ${lines(range(rows).flatMap((row) => HALVES.map((half) => set(`sum${row}${half}`, load(get('bias'), half * 16)))))}
      ${set('weight', get('weights'))}
      ${set('end', add(get('a0'), get('inputBytes')))}
      (loop $inputs${rows}
        ${lines(range(UNROLLED).map((at) => step(rows, at)))}
        ${lines(range(rows).map((row) => advance(`a${row}`, i32(UNROLLED * 4))))}
        ${advance('weight', i32(UNROLLED * PANEL_BYTES))}
        (br_if $inputs${rows} (i32.lt_u ${get('a0')} ${get('end')})))
      ${lines(HALVES.map((half) => set(`b${half}`, load(get('slopes'), half * 16))))}
      ${set('target', get('to'))}
      ${lines(
        range(rows).map((row) =>
          lines([
            ...HALVES.map((half) => store(get('target'), bend(get(`sum${row}${half}`), get(`b${half}`)), half * 16)),
            advance('target', get('outStride')),
          ]),
        ),
      )}`;
  const move = (rows: string) => `
        ${advance('row', multiply(rows, get('stride')))}
        ${advance('to', multiply(rows, get('outStride')))}`;
  return `
  (func (export "multiply")
    ${parameters('i32', ['from', 'stride', 'rows', 'inputBytes', 'weights', 'panels', 'bias', 'slopes', 'out', 'outStride'])}
    (param $most f32)
    ${locals('i32', ['row', 'to', 'left', 'weight', 'end', 'target', ...range(TILE_ROWS).map((row) => `a${row}`)])}
    ${locals('v128', ['limit', 'value', 'b0', 'b1', ...accumulators(TILE_ROWS)])}
    ${setLimit}
    (loop $panel
      ${set('row', get('from'))}
      ${set('to', get('out'))}
      ${set('left', get('rows'))}
      (if (i32.ge_u ${get('left')} ${i32(TILE_ROWS)})
        (then (loop $tiles
          ${tile(TILE_ROWS)}
          ${set('left', subtract(get('left'), i32(TILE_ROWS)))}
          (if ${get('left')} (then
            (if (i32.ge_u ${get('left')} ${i32(TILE_ROWS)})
              (then ${move(i32(TILE_ROWS))})
              (else ${move(get('left'))} ${set('left', i32(TILE_ROWS))}))
            (br $tiles)))))
        (else (loop $rows
          ${tile(1)}
          ${move(i32(1))}
          ${set('left', subtract(get('left'), i32(1)))}
          (br_if $rows ${get('left')}))))
      ${set('weights', get('weight'))}
      ${advance('bias', i32(PANEL_BYTES))}
      ${advance('slopes', i32(PANEL_BYTES))}
      ${advance('out', i32(PANEL_BYTES))}
      ${set('panels', subtract(get('panels'), i32(1)))}
      (br_if $panel ${get('panels')})))`;
}

/** A sliding window over a feature map, and the requested part of an output row. */
const WINDOW = [
  ...['from', 'height', 'width', 'pixelBytes', 'kernelHeight', 'kernelWidth', 'strideX', 'dilation'],
  ...['top', 'left', 'columns', 'out'],
];
const WINDOW_LOCALS = ['y', 'x', 'ky', 'kx', 'channel', 'source'];

/**
 * Computes one output row of a depthwise operation whose window may exceed the edges. `top`: row of
 * the window's upper edge. `left`: column of its left edge at the first output. Both may be
 * negative.
 */
function writeWindow(name: string, parts: { head: string; begin: string; each: string; end: string }): string {
  return `
  (func (export "${name}")
    ${parameters('i32', WINDOW)} ${parts.head}
    (loop $column
      ${set('channel', i32(0))}
      (loop $channels
        ${parts.begin}
        ${set('y', get('top'))}
        ${set('ky', i32(0))}
        (loop $windowRow
          (if (i32.lt_u ${get('y')} ${get('height')}) (then
            ${set('x', get('left'))}
            ${set('kx', i32(0))}
            ${set('source', add(add(get('from'), get('channel')), multiply(get('pixelBytes'), add(multiply(get('y'), get('width')), get('x')))))}
            (loop $windowColumn
              (if (i32.lt_u ${get('x')} ${get('width')}) (then ${parts.each}))
              ${advance('x', get('dilation'))}
              ${advance('source', multiply(get('dilation'), get('pixelBytes')))}
              ${advance('kx', i32(1))}
              (br_if $windowColumn (i32.lt_u ${get('kx')} ${get('kernelWidth')})))))
          ${advance('y', get('dilation'))}
          ${advance('ky', i32(1))}
          (br_if $windowRow (i32.lt_u ${get('ky')} ${get('kernelHeight')})))
        ${parts.end}
        ${advance('channel', i32(16))}
        (br_if $channels (i32.lt_u ${get('channel')} ${get('pixelBytes')})))
      ${advance('out', get('pixelBytes'))}
      ${advance('left', get('strideX'))}
      ${set('columns', subtract(get('columns'), i32(1)))}
      (br_if $column ${get('columns')})))`;
}

/** Weights are grouped by four channels, for one window position after the other. */
function writeFilterEdge(madd: MultiplyAdd): string {
  const weightAt = add(get('weight'), `(i32.shl ${add(multiply(get('ky'), get('kernelWidth')), get('kx'))} ${i32(4)})`);
  return writeWindow('filterAnywhere', {
    head: `
    ${parameters('i32', ['weights', 'bias', 'slopes'])} (param $most f32)
    ${locals('i32', [...WINDOW_LOCALS, 'weight'])} ${locals('v128', ['limit', 'sum'])}
    ${setLimit}`,
    begin: `
        ${set('weight', add(get('weights'), multiply(get('channel'), multiply(get('kernelHeight'), get('kernelWidth')))))}
        ${set('sum', load(add(get('bias'), get('channel'))))}`,
    each: set('sum', madd(load(get('source')), load(weightAt), get('sum'))),
    end: store(add(get('out'), get('channel')), bend(get('sum'), load(add(get('slopes'), get('channel'))))),
  });
}

function writeMaximum(): string {
  return writeWindow('maximum', {
    head: `${locals('i32', WINDOW_LOCALS)} ${locals('v128', ['sum'])}`,
    begin: set('sum', '(f32x4.splat (f32.const -inf))'),
    // Propagates NaN, like the operator.
    each: set('sum', `(f32x4.max ${get('sum')} ${load(get('source'))})`),
    end: store(add(get('out'), get('channel')), get('sum')),
  });
}

/** For 3 × 3 windows within the row: keeps the nine weights of four channels in registers. */
function writeFilterThree(madd: MultiplyAdd): string {
  const rows = range(3);
  const weights = range(9).map((at) => `w${at}`);
  return `
  (func (export "filterThree")
    ${parameters('i32', ['above', 'here', 'below', 'pixelBytes', 'stepBytes', 'columns', 'out', 'weights', 'bias', 'slopes'])}
    (param $most f32)
    ${locals('i32', ['channel', 'left', 'next', 'after', 'r0', 'r1', 'r2', 'to'])}
    ${locals('v128', ['limit', 'sum', 'other', 'offset', 'slope', ...weights])}
    ${setLimit}
    (loop $channels
      ${lines(weights.map((name, at) => set(name, load(get('weights'), at * 16))))}
      ${set('offset', load(add(get('bias'), get('channel'))))}
      ${set('slope', load(add(get('slopes'), get('channel'))))}
      ${set('r0', add(get('above'), get('channel')))}
      ${set('r1', add(get('here'), get('channel')))}
      ${set('r2', add(get('below'), get('channel')))}
      ${set('to', add(get('out'), get('channel')))}
      ${set('left', get('columns'))}
      (loop $column
        ${set('sum', get('offset'))}
        ${lines(
          rows.map((row) =>
            lines([
              set('next', add(get(`r${row}`), get('pixelBytes'))),
              set('after', add(get('next'), get('pixelBytes'))),
              ...[`r${row}`, 'next', 'after'].map((at, place) => {
                // Two sums, because each addition waits for the previous one.
                const sum = row === 1 ? 'other' : 'sum';
                const before = row === 1 && place === 0 ? ZERO : get(sum);
                return set(sum, madd(load(get(at)), get(`w${row * 3 + place}`), before));
              }),
              advance(`r${row}`, get('stepBytes')),
            ]),
          ),
        )}
        ${set('sum', `(f32x4.add ${get('sum')} ${get('other')})`)}
        ${store(get('to'), bend(get('sum'), get('slope')))}
        ${advance('to', get('pixelBytes'))}
        ${set('left', subtract(get('left'), i32(1)))}
        (br_if $column ${get('left')}))
      ${advance('weights', i32(9 * 16))}
      ${advance('channel', i32(16))}
      (br_if $channels (i32.lt_u ${get('channel')} ${get('pixelBytes')}))))`;
}

/** Gathers the windows of an output row into a matrix, with zeros beyond the edges. */
function writeGather(): string {
  return `
  (func (export "gather")
    ${parameters('i32', WINDOW)}
    ${locals('i32', ['y', 'x', 'ky', 'kx', 'source', 'end'])}
    (loop $column
      ${set('y', get('top'))}
      ${set('ky', i32(0))}
      (loop $windowRow
        ${set('x', get('left'))}
        ${set('kx', i32(0))}
        (loop $windowColumn
          ${set('end', add(get('out'), get('pixelBytes')))}
          (if (i32.and (i32.lt_u ${get('y')} ${get('height')}) (i32.lt_u ${get('x')} ${get('width')}))
            (then
              ${set('source', add(get('from'), multiply(get('pixelBytes'), add(multiply(get('y'), get('width')), get('x')))))}
              (loop $copy
                ${store(get('out'), load(get('source')))}
                ${store(get('out'), load(get('source'), 16), 16)}
                ${advance('source', i32(32))}
                ${advance('out', i32(32))}
                (br_if $copy (i32.lt_u ${get('out')} ${get('end')}))))
            (else (loop $clear
              ${store(get('out'), ZERO)}
              ${store(get('out'), ZERO, 16)}
              ${advance('out', i32(32))}
              (br_if $clear (i32.lt_u ${get('out')} ${get('end')})))))
          ${advance('x', get('dilation'))}
          ${advance('kx', i32(1))}
          (br_if $windowColumn (i32.lt_u ${get('kx')} ${get('kernelWidth')})))
        ${advance('y', get('dilation'))}
        ${advance('ky', i32(1))}
        (br_if $windowRow (i32.lt_u ${get('ky')} ${get('kernelHeight')})))
      ${advance('left', get('strideX'))}
      ${set('columns', subtract(get('columns'), i32(1)))}
      (br_if $column ${get('columns')})))`;
}

/** Gathers from a planar picture. A row of the matrix has `rowBytes`. */
function writeGatherPlanes(): string {
  return `
  (func (export "gatherPlanes")
    ${parameters('i32', [...WINDOW, 'planes', 'rowBytes'])}
    ${locals('i32', ['y', 'x', 'ky', 'kx', 'plane', 'source', 'to', 'end'])}
    (loop $column
      ${set('to', get('out'))}
      ${set('plane', i32(0))}
      (loop $planes
        ${set('y', get('top'))}
        ${set('ky', i32(0))}
        (loop $windowRow
          ${set('x', get('left'))}
          ${set('kx', i32(0))}
          ${set('source', add(get('from'), `(i32.shl ${add(multiply(add(multiply(get('plane'), get('height')), get('y')), get('width')), get('x'))} ${i32(2)})`))}
          (loop $windowColumn
            (f32.store ${get('to')}
              (if (result f32) (i32.and (i32.lt_u ${get('y')} ${get('height')}) (i32.lt_u ${get('x')} ${get('width')}))
                (then (f32.load ${get('source')}))
                (else (f32.const 0))))
            ${advance('to', i32(4))}
            ${advance('x', get('dilation'))}
            ${advance('source', `(i32.shl ${get('dilation')} ${i32(2)})`)}
            ${advance('kx', i32(1))}
            (br_if $windowColumn (i32.lt_u ${get('kx')} ${get('kernelWidth')})))
          ${advance('y', get('dilation'))}
          ${advance('ky', i32(1))}
          (br_if $windowRow (i32.lt_u ${get('ky')} ${get('kernelHeight')})))
        ${advance('plane', i32(1))}
        (br_if $planes (i32.lt_u ${get('plane')} ${get('planes')})))
      ${set('end', add(get('out'), get('rowBytes')))}
      (block $filled (loop $fill
        (br_if $filled (i32.ge_u ${get('to')} ${get('end')}))
        (f32.store ${get('to')} (f32.const 0))
        ${advance('to', i32(4))}
        (br $fill)))
      ${set('out', get('end'))}
      ${advance('left', get('strideX'))}
      ${set('columns', subtract(get('columns'), i32(1)))}
      (br_if $column ${get('columns')})))`;
}

/** Combines each pixel with the operand at `second`, which advances by `secondStep` per pixel. */
function writePixels(name: string, combine: (first: string, second: string) => string): string {
  return `
  (func (export "${name}")
    ${parameters('i32', ['first', 'second', 'secondStep', 'out', 'pixels', 'pixelBytes', 'slopes'])} (param $most f32)
    ${locals('i32', ['channel', 'other'])}
    ${locals('v128', ['limit'])}
    ${setLimit}
    (loop $pixel
      ${set('channel', i32(0))}
      (loop $channels
        ${store(
          add(get('out'), get('channel')),
          bend(
            combine(load(add(get('first'), get('channel'))), load(add(get('second'), get('channel')))),
            load(add(get('slopes'), get('channel'))),
          ),
        )}
        ${advance('channel', i32(16))}
        (br_if $channels (i32.lt_u ${get('channel')} ${get('pixelBytes')})))
      ${advance('first', get('pixelBytes'))}
      ${advance('second', get('secondStep'))}
      ${advance('out', get('pixelBytes'))}
      ${set('pixels', subtract(get('pixels'), i32(1)))}
      (br_if $pixel ${get('pixels')})))`;
}

/** Writes the mean over all pixels, per channel. */
function writeMean(): string {
  return `
  (func (export "mean")
    ${parameters('i32', ['from', 'pixels', 'pixelBytes', 'out'])}
    ${locals('i32', ['channel', 'source', 'left'])}
    ${locals('v128', ['sum'])}
    (loop $channels
      ${set('sum', ZERO)}
      ${set('source', add(get('from'), get('channel')))}
      ${set('left', get('pixels'))}
      (loop $pixel
        ${set('sum', `(f32x4.add ${get('sum')} ${load(get('source'))})`)}
        ${advance('source', get('pixelBytes'))}
        ${set('left', subtract(get('left'), i32(1)))}
        (br_if $pixel ${get('left')}))
      ${store(add(get('out'), get('channel')), `(f32x4.div ${get('sum')} (f32x4.splat (f32.convert_i32_u ${get('pixels')})))`)}
      ${advance('channel', i32(16))}
      (br_if $channels (i32.lt_u ${get('channel')} ${get('pixelBytes')}))))`;
}

/** Reading function and size of each stored weight type. */
const WEIGHTS = [
  { name: 'packFloats', bytes: 4, read: (at: string) => `(f32.load ${at})` },
  { name: 'packBytes', bytes: 1, read: (at: string) => `(f32.convert_i32_u (i32.load8_u ${at}))` },
  { name: 'packSignedBytes', bytes: 1, read: (at: string) => `(f32.convert_i32_s (i32.load8_s ${at}))` },
  { name: 'packShorts', bytes: 2, read: (at: string) => `(f32.convert_i32_s (i32.load16_s ${at}))` },
];

/**
 * Packs weights into panels for `multiply`: (existing value if `again` is 1, plus weight times
 * `ratio` plus `offset`) times the factor of the output. Results smaller than `least` become zero.
 * Steps count weights in the file; `rowLength` counts inputs of a panel.
 */
function writePack({ name, bytes, read }: (typeof WEIGHTS)[number]): string {
  const steps = ['outputStep', 'inputStep'].map((step) => set(step, multiply(get(step), i32(bytes))));
  return `
  (func (export "${name}")
    ${parameters('i32', ['from', 'outputs', 'outputStep', 'inputs', 'inputStep', 'places', 'paddedInputs', 'rowLength'])}
    ${parameters('i32', ['again', 'factors', 'out'])} ${parameters('f32', ['ratio', 'offset', 'least'])}
    ${locals('i32', ['output', 'input', 'place', 'column', 'inputAt', 'source', 'to'])}
    ${locals('f32', ['factor', 'value'])}
    ${lines(steps)}
    (loop $outputs
      ${set('factor', `(f32.load ${add(get('factors'), `(i32.shl ${get('output')} ${i32(2)})`)})`)}
      ${set(
        'column',
        add(
          add(
            get('out'),
            multiply(
              multiply(`(i32.shr_u ${get('output')} ${i32(Math.log2(PANEL))})`, get('rowLength')),
              i32(PANEL_BYTES),
            ),
          ),
          `(i32.shl (i32.and ${get('output')} ${i32(PANEL - 1)}) ${i32(2)})`,
        ),
      )}
      ${set('input', i32(0))}
      ${set('inputAt', get('from'))}
      (loop $inputs
        ${set('source', get('inputAt'))}
        ${set('place', i32(0))}
        ${set('to', get('column'))}
        (loop $places
          ${set('value', `(f32.add (f32.mul ${read(get('source'))} ${get('ratio')}) ${get('offset')})`)}
          (if ${get('again')} (then ${set('value', `(f32.add ${get('value')} (f32.load ${get('to')}))`)}))
          ${set('value', `(f32.mul ${get('value')} ${get('factor')})`)}
          (f32.store ${get('to')}
            (select (f32.const 0) ${get('value')} (f32.lt (f32.abs ${get('value')}) ${get('least')})))
          ${advance('source', i32(bytes))}
          ${advance('to', multiply(get('paddedInputs'), i32(PANEL_BYTES)))}
          ${advance('place', i32(1))}
          (br_if $places (i32.lt_u ${get('place')} ${get('places')})))
        ${advance('column', i32(PANEL_BYTES))}
        ${advance('inputAt', get('inputStep'))}
        ${advance('input', i32(1))}
        (br_if $inputs (i32.lt_u ${get('input')} ${get('inputs')})))
      ${advance('from', get('outputStep'))}
      ${advance('output', i32(1))}
      (br_if $outputs (i32.lt_u ${get('output')} ${get('outputs')}))))`;
}

function writeKernels(madd: MultiplyAdd): string {
  return `(module
  (import "host" "memory" (memory 1))
  ${writeMultiply(madd)}
  ${writeFilterEdge(madd)}
  ${writeFilterThree(madd)}
  ${writeMaximum()}
  ${writeGather()}
  ${writeGatherPlanes()}
  ${writePixels('addPixels', (first, second) => `(f32x4.add ${first} ${second})`)}
  ${writePixels('multiplyPixels', (first, second) => `(f32x4.mul ${first} ${second})`)}
  ${writeMean()}
  ${lines(WEIGHTS.map(writePack))}
)`;
}

/** Modules by file name. */
export const KERNELS = {
  'kernel.wasm': writeKernels(relaxedMadd),
  'kernel-plain.wasm': writeKernels(plainMadd),
} as const;
