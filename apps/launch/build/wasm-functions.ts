// Takes a WebAssembly module apart as far as its functions: to see which of them run, and to leave out the others.

interface Section {
  id: number;
  content: Uint8Array;
}

const HEADER_BYTES = 8;
const IMPORTS = 2;
const CODE = 10;
/** No variables of its own, `unreachable`, `end`. */
const EMPTY_FUNCTION = Uint8Array.of(0, 0, 0x0b);

/** In bytes, in the order of the functions. */
export function measureFunctions(module: Uint8Array): number[] {
  const code = readSections(module).find(({ id }) => id === CODE);
  return code ? readFunctions(code.content).map(({ length }) => length) : [];
}

/** The same module; a function that is not to be kept ends with a trap when it is called. */
export function keepFunctions(
  module: Uint8Array,
  isKept: (index: number, bytes: number) => boolean,
): Buffer<ArrayBuffer> {
  return mapSection(module, CODE, (content) =>
    writeFunctions(readFunctions(content).map((body, index) => (isKept(index, body.length) ? body : EMPTY_FUNCTION))),
  );
}

/** Imported by a module that notes its calls: one byte per function, which all threads share. */
export const CALLS = { module: 'limen', name: 'calls', pages: 1 };

/** The same module; a function that is called says so in a memory of its own. */
export function noteCalls(module: Uint8Array): Buffer<ArrayBuffer> {
  const noting = mapSection(module, CODE, (content) =>
    writeFunctions(readFunctions(content).map((body, index) => noteCall(body, index))),
  );
  return mapSection(noting, IMPORTS, (content) => {
    const reader = createReader(content);
    const count = reader.readNumber();
    // Shared, with a smallest and a largest size.
    const memory = [...encodeName(CALLS.module), ...encodeName(CALLS.name), 2, 3, CALLS.pages, CALLS.pages];
    return Buffer.concat([encodeNumber(count + 1), content.subarray(reader.at()), Uint8Array.from(memory)]);
  });
}

function noteCall(body: Uint8Array, index: number): Uint8Array {
  const reader = createReader(body);
  for (let groups = reader.readNumber(); groups > 0; groups -= 1) {
    reader.readNumber();
    reader.skip(1); // the kind of these variables
  }
  const start = reader.at();
  // i32.const index, i32.const 1, i32.store8 into the second memory at no offset
  const note = [0x41, ...encodeSigned(index), 0x41, 1, 0x3a, 0x40, 1, 0];
  return Buffer.concat([body.subarray(0, start), Uint8Array.from(note), body.subarray(start)]);
}

function mapSection(module: Uint8Array, id: number, change: (content: Uint8Array) => Uint8Array) {
  const sections = readSections(module).flatMap((section) => {
    const content = section.id === id ? change(section.content) : section.content;
    return [Uint8Array.of(section.id), encodeNumber(content.length), content];
  });
  return Buffer.concat([module.subarray(0, HEADER_BYTES), ...sections]);
}

function readSections(module: Uint8Array): Section[] {
  const reader = createReader(module);
  reader.skip(HEADER_BYTES);
  const sections: Section[] = [];
  while (reader.at() < module.length) {
    const id = reader.skip(1)[0]!;
    sections.push({ id, content: reader.skip(reader.readNumber()) });
  }
  return sections;
}

function readFunctions(code: Uint8Array): Uint8Array[] {
  const reader = createReader(code);
  return Array.from({ length: reader.readNumber() }, () => reader.skip(reader.readNumber()));
}

function writeFunctions(bodies: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([encodeNumber(bodies.length), ...bodies.flatMap((body) => [encodeNumber(body.length), body])]);
}

function createReader(bytes: Uint8Array) {
  let at = 0;
  return {
    at: () => at,
    skip(length: number): Uint8Array {
      if (at + length > bytes.length) throw new Error('The module ends too soon');
      at += length;
      return bytes.subarray(at - length, at);
    },
    readNumber(): number {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const [byte] = this.skip(1);
        value += (byte! & 127) * factor;
        if (byte! < 128) return value;
      }
    },
  };
}

function encodeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

/** Of a number that is not negative: its last byte must not look as if it were. */
function encodeSigned(value: number): Uint8Array {
  const bytes = encodeNumber(value);
  const last = bytes.at(-1)!;
  return last < 64 ? bytes : Uint8Array.from([...bytes.subarray(0, -1), last + 128, 0]);
}

function encodeName(name: string): number[] {
  return [name.length, ...new TextEncoder().encode(name)];
}
