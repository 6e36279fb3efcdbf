// Turns weights into the bytes of a model file: plain floats, or 16-bit integers with one factor per channel.

/** Little-endian. */
export function encodeFloat32(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index += 1) view.setFloat32(index * 4, values[index]!, true);
  return bytes;
}

const LARGEST = 32_767;

export interface Compacted {
  /** Little-endian, signed, in the order of the values. */
  bytes: Uint8Array;
  /** Of each channel: its values are the integers times this. */
  factors: Float32Array;
}

/** `channelOf` says to which of the channels the value at an index belongs. Rounding is the same on every machine. */
export function compact(values: Float32Array, channels: number, channelOf: (index: number) => number): Compacted {
  const factors = new Float32Array(channels);
  for (let index = 0; index < values.length; index += 1) {
    const channel = channelOf(index);
    factors[channel] = Math.max(factors[channel]!, Math.abs(values[index]!));
  }
  for (const [channel, largest] of factors.entries()) factors[channel] = largest === 0 ? 1 : largest / LARGEST;

  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index += 1) {
    const steps = Math.round(values[index]! / factors[channelOf(index)]!);
    view.setInt16(index * 2, Math.min(LARGEST, Math.max(-LARGEST, steps)), true);
  }
  return { bytes, factors };
}
