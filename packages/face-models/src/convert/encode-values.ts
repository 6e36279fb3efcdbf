// Encodes weights as raw floats, or as small integers with one factor per channel.

/** Little-endian. */
export function encodeFloat32(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index += 1) view.setFloat32(index * 4, values[index]!, true);
  return bytes;
}

export type StepType = 'int8' | 'int16';

export interface Compacted {
  steps: Int16Array;
  /** Factors of the channels: a value is its step times the factor. */
  factors: Float32Array;
}

/** Quantizes to `bits` bits including the sign, identically on every machine. */
export function compact(
  values: Float32Array,
  bits: number,
  channels: number,
  channelOf: (index: number) => number,
): Compacted {
  const most = 2 ** (bits - 1) - 1;
  const factors = new Float32Array(channels);
  for (let index = 0; index < values.length; index += 1) {
    const channel = channelOf(index);
    factors[channel] = Math.max(factors[channel]!, Math.abs(values[index]!));
  }
  for (const [channel, largest] of factors.entries()) factors[channel] = largest === 0 ? 1 : largest / most;

  const steps = new Int16Array(values.length);
  for (let index = 0; index < values.length; index += 1) {
    const rounded = Math.round(values[index]! / factors[channelOf(index)]!);
    steps[index] = Math.min(most, Math.max(-most, rounded));
  }
  return { steps, factors };
}

/** Little-endian. */
export function encodeSteps(steps: Int16Array, type: StepType): Uint8Array {
  if (type === 'int8') return new Uint8Array(Int8Array.from(steps).buffer);
  const bytes = new Uint8Array(steps.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < steps.length; index += 1) view.setInt16(index * 2, steps[index]!, true);
  return bytes;
}

/** A step is `FINE` times its coarse part plus its fine part: byte-sized parts compress better. */
export const FINE = 4;

export function splitSteps(steps: Int16Array): { coarse: Int16Array; fine: Int16Array } {
  const coarse = steps.map((step) => Math.floor(step / FINE));
  return { coarse, fine: steps.map((step, index) => step - coarse[index]! * FINE) };
}
