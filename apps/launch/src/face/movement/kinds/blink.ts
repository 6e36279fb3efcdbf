// Closing both eyes and opening them again, while the head keeps still.
import { isAtRest } from '../challenge-rules.ts';
import type { MovementKind } from './movement-kind.ts';

export const blink = {
  tempo: 'quick',
  follow(rules) {
    let eyes: 'open' | 'closed' | null = null;
    return ({ eyesClosed }, change) => {
      if (!isAtRest(change, rules) || change.besideEyes > rules.blinkBesideEyes) {
        eyes = null;
        return false;
      }
      const isOpen = eyesClosed < rules.eyesOpen;
      if (eyes === 'closed' && isOpen) return true;
      if (isOpen) eyes = 'open';
      else if (eyes === 'open' && eyesClosed > rules.eyesClosed && change.opening <= rules.blinkOpening)
        eyes = 'closed';
      return false;
    };
  },
  move: (share) => ({ lids: share }),
} as const satisfies MovementKind;
