// Reads the graph of an ONNX file: nodes in order, constants, input and outputs.
import {
  type Field,
  findText,
  GRAPH,
  NODE,
  OF_NODE,
  OF_TENSOR,
  readMessage,
  readText,
  readVarint,
  TENSOR,
} from '@limen/face-models/onnx-reader';
import { ELEMENT_TYPES } from '@limen/face-models/onnx-writer';
import { countValues, MAX_VALUES, refuse, type Tensor, UnsupportedModelError, type Values } from '../tensor.ts';

export type Attribute = number | string | readonly number[] | Tensor;

export interface GraphNode {
  operator: string;
  inputs: readonly string[];
  output: string;
  attributes: ReadonlyMap<string, Attribute>;
}

interface FileConstant {
  dims: readonly number[];
  /** Read on demand, because most are large and read once. */
  read(): Tensor;
}

export interface Graph {
  nodes: readonly GraphNode[];
  constants: ReadonlyMap<string, FileConstant>;
  input: { name: string; dims: readonly (number | null)[] };
  outputs: readonly string[];
}

const INPUT = 11;
const OUTPUT = 12;
const OF_ATTRIBUTE = { name: 1, float: 2, integer: 3, text: 4, tensor: 5, integers: 8 };
const OF_VALUE = { name: 1, type: 2 };
const OF_TYPE = { tensor: 1 };
const OF_TENSOR_TYPE = { shape: 2 };
const OF_SHAPE = { dim: 1 };
const OF_DIM = { value: 1 };
/** Some planning is quadratic in the number of nodes. */
const MAX_NODES = 10_000;

export function readGraph(content: Uint8Array): Graph {
  try {
    return read(content);
  } catch (error) {
    if (error instanceof UnsupportedModelError) throw error;
    throw new UnsupportedModelError('its file cannot be read', { cause: error });
  }
}

function read(content: Uint8Array): Graph {
  const graph = readMessage(content).find(({ number }) => number === GRAPH);
  if (!graph) refuse('its file has no graph');
  const fields = readMessage(graph.content);
  const list = (number: number) => fields.filter((field) => field.number === number);
  const constants = new Map(
    list(TENSOR).map(({ content: tensor }) => {
      const parts = readMessage(tensor);
      return [findText(parts, OF_TENSOR.name), { dims: readDims(parts), read: () => readTensor(parts) }] as const;
    }),
  );
  // Old files list constants as inputs too.
  const inputs = list(INPUT)
    .map(readInput)
    .filter(({ name }) => !constants.has(name));
  const [input] = inputs;
  if (inputs.length !== 1 || !input) refuse(`it has ${inputs.length} inputs`);
  const outputs = list(OUTPUT).map(({ content: output }) => findText(readMessage(output), OF_VALUE.name));
  const found = list(NODE);
  if (found.length > MAX_NODES) refuse(`it has ${found.length} nodes`);
  const nodes = found.map(readNode);
  const names = new Set([input.name, ...constants.keys(), ...nodes.map(({ output }) => output)]);
  if (names.size !== nodes.length + constants.size + 1) refuse('it computes a value twice');
  return { nodes, constants, input, outputs };
}

function readNode({ content }: Field): GraphNode {
  const fields = readMessage(content);
  const texts = (number: number) => fields.filter((field) => field.number === number).map(readText);
  const operator = findText(fields, OF_NODE.operator);
  const [output, ...more] = texts(OF_NODE.output);
  if (output === undefined || more.length > 0) refuse(`${operator} has ${more.length + 1} outputs`);
  const attributes = new Map(fields.filter(({ number }) => number === OF_NODE.attribute).map(readAttribute));
  if (operator === 'Cast' && attributes.get('to') !== ELEMENT_TYPES.float32)
    refuse('it makes something other than floats of values');
  return { operator, inputs: texts(OF_NODE.input), output, attributes };
}

function readAttribute({ content }: Field): [string, Attribute] {
  const fields = readMessage(content);
  const find = (number: number) => fields.find((field) => field.number === number);
  const name = findText(fields, OF_ATTRIBUTE.name);
  const tensor = find(OF_ATTRIBUTE.tensor);
  if (tensor) return [name, readTensor(readMessage(tensor.content))];
  const float = find(OF_ATTRIBUTE.float);
  if (float) return [name, readFloat(float)];
  const integer = find(OF_ATTRIBUTE.integer);
  if (integer) return [name, readInteger(integer)];
  const text = find(OF_ATTRIBUTE.text);
  if (text) return [name, readText(text)];
  return [name, fields.filter(({ number }) => number === OF_ATTRIBUTE.integers).flatMap(readIntegers)];
}

function readFloat({ content }: Field): number {
  return new DataView(content.buffer, content.byteOffset, content.byteLength).getFloat32(0, true);
}

/** A list is stored packed or as one field per number. */
function readIntegers(field: Field): number[] {
  if (field.content.length === 0) return [readInteger(field)];
  const numbers: number[] = [];
  for (let at = 0; at < field.content.length; ) {
    const { value, end } = readVarint(field.content, at);
    numbers.push(value < 2 ** 53 ? value : readLarge(field.content.subarray(at, end)));
    at = end;
  }
  return numbers;
}

function readInteger({ value, whole }: Field): number {
  // Field numbers below sixteen, like all of these, have a one-byte tag.
  return value < 2 ** 53 ? value : readLarge(whole.subarray(1));
}

/** Negative numbers are stored as large unsigned ones. */
function readLarge(bytes: Uint8Array): number {
  const whole = bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 127), 0n);
  return Number(BigInt.asIntN(64, whole));
}

function readInput({ content }: Field): Graph['input'] {
  const fields = readMessage(content);
  const inside = (parts: readonly Field[], number: number) => {
    const found = parts.find((field) => field.number === number);
    return found ? readMessage(found.content) : [];
  };
  const shape = inside(inside(inside(fields, OF_VALUE.type), OF_TYPE.tensor), OF_TENSOR_TYPE.shape);
  const dims = shape
    .filter(({ number }) => number === OF_SHAPE.dim)
    .map((dim) => readMessage(dim.content).find(({ number }) => number === OF_DIM.value)?.value ?? null);
  return { name: findText(fields, OF_VALUE.name), dims };
}

/** Storage of each type, little-endian like every browser. */
const TYPES = new Map<number, { bytes: number; read(raw: ArrayBuffer): Values }>([
  [ELEMENT_TYPES.float32, { bytes: 4, read: (raw) => new Float32Array(raw) }],
  [ELEMENT_TYPES.uint8, { bytes: 1, read: (raw) => new Uint8Array(raw) }],
  [ELEMENT_TYPES.int8, { bytes: 1, read: (raw) => new Int8Array(raw) }],
  [ELEMENT_TYPES.int16, { bytes: 2, read: (raw) => new Int16Array(raw) }],
  [ELEMENT_TYPES.int64, { bytes: 8, read: (raw) => Float64Array.from(new BigInt64Array(raw), Number) }],
]);

function readDims(fields: readonly Field[]): number[] {
  return fields.filter(({ number }) => number === OF_TENSOR.dims).flatMap(readIntegers);
}

function readTensor(fields: readonly Field[]): Tensor {
  const find = (number: number) => fields.find((field) => field.number === number);
  const dims = readDims(fields);
  const type = find(OF_TENSOR.type)?.value ?? 0;
  const known = TYPES.get(type);
  if (!known) refuse(`it has values of the type ${type}`);
  const count = countValues(dims);
  const raw = find(OF_TENSOR.raw)?.content;
  if (!(count >= 0 && count <= MAX_VALUES) || (raw?.length ?? 0) !== count * known.bytes)
    refuse('a constant has another number of values than its shape says, or an unknown storage format');
  // Copied, because values in the file may be unaligned.
  return { dims, values: known.read(new Uint8Array(raw ?? []).buffer) };
}
