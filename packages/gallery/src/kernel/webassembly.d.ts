// The used part of WebAssembly's types, which Node leaves to the browser types.
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: SharedArrayBuffer;
    grow(pages: number): number;
  }
  const Memory: new (descriptor: { initial: number; maximum?: number; shared?: true }) => Memory;
  const Module: new (bytes: Uint8Array) => object;
  const Instance: new (module: object, imports: { host: { memory: Memory } }) => { exports: object };
  function validate(bytes: Uint8Array): boolean;
}
