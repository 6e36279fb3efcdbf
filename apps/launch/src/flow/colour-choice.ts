// Whether the person wants the screen to change its colour: what they said, or else what their system says of them.
export interface ColourChoice {
  isLeftOut(): boolean;
  leaveOut(leftOut: boolean): void;
  /** When the person leaves them out while they are shown; the result stops it. */
  onLeftOut(callback: () => void): () => void;
}

export function createColourChoice(wantsNoColours: boolean): ColourChoice {
  const callbacks = new Set<() => void>();
  let isLeftOut = wantsNoColours;
  return {
    isLeftOut: () => isLeftOut,
    leaveOut(leftOut) {
      isLeftOut = leftOut;
      if (leftOut) for (const callback of callbacks) callback();
    },
    onLeftOut(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
