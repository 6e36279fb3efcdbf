// Writes ONNX files with the few protobuf messages that converted models need. Deterministic.

export interface OnnxTensor {
  name: string;
  dims: readonly number[];
  type: keyof typeof ELEMENT_TYPES;
  /** Little-endian values of the type. */
  data: Uint8Array;
}

export interface OnnxNode {
  operator: string;
  inputs: readonly string[];
  /** Only output, which also names the node. */
  output: string;
  attributes?: Readonly<Record<string, number | string | readonly number[]>>;
}

export interface OnnxValue {
  name: string;
  /** A string is a size that the caller chooses. */
  dims: readonly (number | string)[];
}

export interface OnnxGraph {
  name: string;
  nodes: readonly OnnxNode[];
  tensors: readonly OnnxTensor[];
  input: OnnxValue;
  output: OnnxValue;
}

// IR version and operator set supported by all recent runtimes.
const IR_VERSION = 8;
const OPERATOR_SET = 13;
export const ELEMENT_TYPES = { float32: 1, uint8: 2, int8: 3, int16: 5, int64: 7 } as const;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_TEXT = 3;
const ATTRIBUTE_INTS = 7;

export function writeOnnx(graph: OnnxGraph): Uint8Array {
  return joinBytes([
    encodeInteger(1, IR_VERSION),
    encodeBytes(7, encodeGraph(graph)),
    encodeBytes(8, [encodeText(1, ''), encodeInteger(2, OPERATOR_SET)]),
  ]);
}

function encodeGraph(graph: OnnxGraph): Uint8Array[] {
  return [
    ...graph.nodes.map((node) => encodeBytes(1, encodeNode(node))),
    encodeText(2, graph.name),
    ...graph.tensors.map((tensor) => encodeBytes(5, encodeTensor(tensor))),
    encodeBytes(11, encodeValue(graph.input)),
    encodeBytes(12, encodeValue(graph.output)),
  ];
}

export function encodeNode(node: OnnxNode): Uint8Array[] {
  return [
    ...node.inputs.map((input) => encodeText(1, input)),
    encodeText(2, node.output),
    encodeText(3, node.output),
    encodeText(4, node.operator),
    ...Object.entries(node.attributes ?? {}).map(([name, value]) => encodeBytes(5, encodeAttribute(name, value))),
  ];
}

function encodeAttribute(name: string, value: number | string | readonly number[]): Uint8Array[] {
  if (typeof value === 'string') return [encodeText(1, name), encodeText(4, value), encodeInteger(20, ATTRIBUTE_TEXT)];
  if (typeof value === 'number')
    return [encodeText(1, name), encodeInteger(3, value), encodeInteger(20, ATTRIBUTE_INT)];
  return [encodeText(1, name), ...value.map((item) => encodeInteger(8, item)), encodeInteger(20, ATTRIBUTE_INTS)];
}

export function encodeTensor(tensor: OnnxTensor): Uint8Array[] {
  return [
    ...tensor.dims.map((dim) => encodeInteger(1, dim)),
    encodeInteger(2, ELEMENT_TYPES[tensor.type]),
    encodeText(8, tensor.name),
    ...wrapBytes(9, [tensor.data]),
  ];
}

function encodeValue({ name, dims }: OnnxValue): Uint8Array[] {
  const encoded = dims.map((dim) =>
    encodeBytes(1, [typeof dim === 'number' ? encodeInteger(1, dim) : encodeText(2, dim)]),
  );
  const tensorType = [encodeInteger(1, ELEMENT_TYPES.float32), encodeBytes(2, encoded)];
  return [encodeText(1, name), encodeBytes(2, [encodeBytes(1, tensorType)])];
}

function encodeText(field: number, text: string): Uint8Array {
  return encodeBytes(field, [new TextEncoder().encode(text)]);
}

export function encodeBytes(field: number, parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(wrapBytes(field, parts));
}

/** Returns the parts unjoined, so that large ones are copied once at the end. */
export function wrapBytes(field: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [encodeVarint(field * 8 + 2), encodeVarint(length), ...parts];
}

/** Does not use Buffer, because the launch page uses it too. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export function encodeInteger(field: number, value: number): Uint8Array {
  return joinBytes([encodeVarint(field * 8), encodeVarint(value)]);
}

function encodeVarint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`cannot write ${value}`);
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...bytes, rest]);
}
