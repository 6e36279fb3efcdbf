// Whether the person wants the screen to change its colour: what they said, or else what their system says of them.
export type ColourChoice = ReturnType<typeof createColourChoice>;

export function createColourChoice(wantsNoColours: boolean) {
  const callbacks = new Set<() => void>();
  let isLeftOut = wantsNoColours;
  return {
    isLeftOut: (): boolean => isLeftOut,
    leaveOut(leftOut: boolean): void {
      isLeftOut = leftOut;
      if (leftOut) for (const callback of callbacks) callback();
    },
    /** When the person leaves them out while they are shown; the result stops it. */
    onLeftOut(callback: () => void): () => void {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
