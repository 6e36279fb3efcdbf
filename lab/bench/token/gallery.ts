// Galleries of the token benchmark: a few people enrolled by the device, and many derived from
// their tokens.
import type { TokenArena } from '@limen/token/evaluator';
import { packBody, Q, RING_DEGREE, unpackBody } from '@limen/token/shared';
import { encryptPolynomial } from '../../../packages/token/testing/forge.ts';
import { encryptBody, type Parties } from '../../../packages/token/testing/parties.ts';
import { randomVector } from '../../../packages/token/testing/vectors.ts';

const PEOPLE = 64;
const ZEROS = 64;

export interface Person {
  vector: Float32Array;
  body: Uint8Array;
}

export interface Gallery {
  /** The person to search for, enrolled once. */
  mate: Person;
  /** Adds strangers up to `size`, including the mate. Slots are in random order. */
  fill(arena: TokenArena, size: number): { slots: Uint32Array; mateSlot: number; microsEach: number };
}

/**
 * A token plus an encryption of zero is another token of the same person: as random as a fresh one,
 * and created in microseconds. Adds two of a few dozen zeros to each.
 */
export function createGallery({ device, enrol: enroll }: Parties): Gallery {
  const enrollPerson = (): Person => {
    const vector = randomVector();
    return { vector, body: encryptBody(device, vector, enroll) };
  };
  const strangers = Array.from({ length: PEOPLE }, () => unpackBody(enrollPerson().body));
  const zeros = Array.from({ length: ZEROS }, () => unpackBody(encryptPolynomial([], enroll.key)));
  const mate = enrollPerson();
  const c0 = new Int32Array(RING_DEGREE);
  const c1 = new Int32Array(RING_DEGREE);

  function makeStranger(number: number): Uint8Array {
    const base = strangers[number % PEOPLE]!;
    const rest = Math.floor(number / PEOPLE);
    const [one, two] = [zeros[rest % ZEROS]!, zeros[Math.floor(rest / ZEROS) % ZEROS]!];
    for (let index = 0; index < RING_DEGREE; index++) {
      c0[index] = (base.c0[index]! + one.c0[index]! + two.c0[index]!) % Q;
      c1[index] = (base.c1[index]! + one.c1[index]! + two.c1[index]!) % Q;
    }
    return packBody(c0, c1);
  }

  return {
    mate,
    fill(arena, size) {
      let ms = 0;
      const add = (body: Uint8Array) => {
        const start = performance.now();
        const slot = arena.add(body);
        ms += performance.now() - start;
        return slot;
      };
      const slots = Uint32Array.from({ length: size }, (_, number) =>
        add(number === 0 ? mate.body : makeStranger(number)),
      );
      const mateSlot = slots[0]!;
      shuffle(slots);
      return { slots, mateSlot, microsEach: (ms * 1000) / size };
    },
  };
}

/** As the service does before each search. */
export function shuffle(slots: Uint32Array): void {
  const drawn = crypto.getRandomValues(new Uint32Array(1));
  for (let index = slots.length - 1; index > 0; index--) {
    crypto.getRandomValues(drawn);
    const other = drawn[0]! % (index + 1);
    [slots[index], slots[other]] = [slots[other]!, slots[index]!];
  }
}
