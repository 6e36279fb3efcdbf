// Typed arrays that grow during the index build and end in shared memory of the exact size.

type ArrayType = Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor | Float64ArrayConstructor;

export class GrowingArray<Type extends ArrayType> {
  readonly #type: Type;
  #values: InstanceType<ArrayType> & { buffer: ArrayBuffer };
  length = 0;

  constructor(type: Type, capacity = 1024) {
    this.#type = type;
    this.#values = new type(capacity);
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1);
    this.#values[this.length] = value;
    this.length += 1;
  }

  append(values: ArrayLike<number>): void {
    const end = this.length + values.length;
    if (end > this.#values.length) this.#grow(end);
    this.#values.set(values, this.length);
    this.length = end;
  }

  at(position: number): number {
    return this.#values[position] as number;
  }

  set(position: number, value: number): void {
    this.#values[position] = value;
  }

  /** Copies the values to shared memory of the exact size. */
  share(): InstanceType<Type> {
    const type = this.#type as Uint8ArrayConstructor; // same constructor signature for all types
    const shared = new type(new SharedArrayBuffer(this.length * this.#type.BYTES_PER_ELEMENT));
    shared.set(this.#values.subarray(0, this.length));
    this.free();
    return shared as unknown as InstanceType<Type>;
  }

  /** Releases the memory immediately instead of waiting for garbage collection during the build. */
  free(): void {
    this.#values.buffer.transfer(0);
    this.#values = new this.#type(0);
    this.length = 0;
  }

  #grow(atLeast: number): void {
    const length = Math.max(atLeast, Math.ceil(this.#values.length * 1.6));
    this.#values = new this.#type(this.#values.buffer.transfer(length * this.#type.BYTES_PER_ELEMENT));
  }
}
