// Converts weights stored as small integers to floats. A runtime does this on load too, but node by
// node, which takes a browser ten times as long. Runs in the launch page.
import { type Field, findText, GRAPH, NODE, OF_NODE, OF_TENSOR, readMessage, readText, TENSOR } from './onnx-reader.ts';
import { ELEMENT_TYPES, encodeTensor, joinBytes, wrapBytes } from './onnx-writer.ts';

type Values = Float32Array | Int8Array | Uint8Array | Int16Array;

interface Constant {
  dims: readonly number[];
  read(): Values;
}

interface Node {
  field: Field;
  operator: string;
  inputs: string[];
  output: string;
}

/** Replaces nodes with constant inputs by their results, exactly as the runtime computes them. */
export function widenOnnx(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts = readMessage(content).flatMap((field) =>
    field.number === GRAPH ? wrapBytes(GRAPH, widenGraph(readMessage(field.content))) : [field.whole],
  );
  return joinBytes(parts);
}

function widenGraph(graph: readonly Field[]): Uint8Array[] {
  const constants = new Map(graph.flatMap((field) => (field.number === TENSOR ? readConstant(field) : [])));
  const made = new Map<string, Constant>();
  const gone = new Set<Field>();
  const [spent, needed] = [new Set<string>(), new Set<string>()];
  const nodes = graph.flatMap((field) => (field.number === NODE ? readNode(field) : []));
  const readers = new Map<string, number>();
  for (const name of nodes.flatMap(({ inputs }) => inputs)) readers.set(name, (readers.get(name) ?? 0) + 1);
  for (const node of nodes) {
    const inputs = node.inputs.map((name) => made.get(name) ?? constants.get(name));
    // Overwrites intermediate results without other readers, because allocating memory dominates
    // the time.
    const [first = ''] = node.inputs;
    const result = compute(node.operator, inputs, made.has(first) && readers.get(first) === 1);
    for (const name of node.inputs) (result ? spent : needed).add(name);
    if (!result) continue;
    made.set(node.output, result);
    gone.add(node.field);
  }
  const kept = graph.filter((field) => {
    if (gone.has(field)) return false;
    const name = field.number === TENSOR ? findText(readMessage(field.content), OF_TENSOR.name) : '';
    return needed.has(name) || !spent.has(name);
  });
  const added = [...made].filter(([name]) => needed.has(name) || !spent.has(name));
  return [...kept.map(({ whole }) => whole), ...added.flatMap(([name, constant]) => encodeConstant(name, constant))];
}

/** Returns undefined if the runtime has to compute the node. */
function compute(
  operator: string,
  [first, second]: readonly (Constant | undefined)[],
  inPlace: boolean,
): Constant | undefined {
  if (!first) return undefined;
  const { dims } = first;
  if (operator === 'Cast') return keep(dims, new Float32Array(first.read()));
  const combine = COMBINE.get(operator);
  const spread = second && findSpread(dims, second.dims);
  if (!combine || !spread) return undefined;
  const [values, others] = [first.read(), second.read()];
  if (!(values instanceof Float32Array && others instanceof Float32Array)) return undefined;
  const result = inPlace ? values : new Float32Array(values.length);
  for (let at = 0, which = 0; at < result.length; at += spread, which = (which + 1) % others.length)
    combine(result, values, others[which]!, at, at + spread);
  return keep(dims, result);
}

const keep = (dims: readonly number[], values: Float32Array): Constant => ({ dims, read: () => values });

/** Returns how many consecutive values share a broadcast value; undefined if irregular. */
function findSpread(dims: readonly number[], others: readonly number[]): number | undefined {
  const rank = dims.length - others.length;
  const wide = others.flatMap((size, axis) => (size === 1 ? [] : [axis + rank]));
  if (rank < 0 || wide.some((axis) => dims[axis] !== others[axis - rank])) return undefined;
  if (wide.length > 1 && wide.length < dims.length) return undefined;
  const last = wide.at(-1) ?? -1;
  return dims.slice(last + 1).reduce((product, size) => product * size, 1);
}

type Combine = (result: Float32Array, values: Float32Array, other: number, at: number, end: number) => void;

// Separate loops, because a loop with a callback is several times slower. Storing rounds to floats.
const COMBINE = new Map<string, Combine>([
  [
    'Mul',
    (result, values, other, from, end) => {
      for (let at = from; at < end; at += 1) result[at] = values[at]! * other;
    },
  ],
  [
    'Add',
    (result, values, other, from, end) => {
      for (let at = from; at < end; at += 1) result[at] = values[at]! + other;
    },
  ],
  [
    'Sub',
    (result, values, other, from, end) => {
      for (let at = from; at < end; at += 1) result[at] = values[at]! - other;
    },
  ],
]);

function readNode(field: Field): Node[] {
  const fields = readMessage(field.content);
  const readTexts = (number: number) => fields.filter((candidate) => candidate.number === number).map(readText);
  const [output, ...moreOutputs] = readTexts(OF_NODE.output);
  const node = {
    field,
    operator: findText(fields, OF_NODE.operator),
    inputs: readTexts(OF_NODE.input),
    output: output!,
  };
  return [moreOutputs.length > 0 || castsElsewhere(fields) ? { ...node, operator: '' } : node];
}

/** Returns whether a cast has a target other than float. */
function castsElsewhere(node: readonly Field[]): boolean {
  return node
    .filter(({ number }) => number === OF_NODE.attribute)
    .map(({ content }) => readMessage(content))
    .some(
      (fields) => findText(fields, 1) === 'to' && fields.some((field) => field.number === 3 && field.value !== FLOAT),
    );
}

const FLOAT = ELEMENT_TYPES.float32;
const VIEWS = new Map<number, new (buffer: ArrayBuffer) => Values>([
  [ELEMENT_TYPES.float32, Float32Array],
  [ELEMENT_TYPES.uint8, Uint8Array],
  [ELEMENT_TYPES.int8, Int8Array],
  [ELEMENT_TYPES.int16, Int16Array],
]);

/** Little-endian, like every browser. */
function readConstant({ content }: Field): [string, Constant][] {
  const fields = readMessage(content);
  const raw = fields.find(({ number }) => number === OF_TENSOR.raw)?.content;
  const View = VIEWS.get(fields.find(({ number }) => number === OF_TENSOR.type)?.value ?? 0);
  const dims = fields.filter(({ number }) => number === OF_TENSOR.dims).map(({ value }) => value);
  if (!raw || !View) return [];
  return [[findText(fields, OF_TENSOR.name), { dims, read: () => new View(new Uint8Array(raw).buffer) }]];
}

function encodeConstant(name: string, { dims, read }: Constant): Uint8Array[] {
  const values = read();
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return wrapBytes(TENSOR, encodeTensor({ name, dims, type: 'float32', data }));
}
