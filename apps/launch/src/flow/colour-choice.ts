// Stores whether the screen may change its color: the person's choice, or else the system's
// preference.
export type ColorChoice = ReturnType<typeof createColorChoice>;

export function createColorChoice(wantsNoColors: boolean) {
  const callbacks = new Set<() => void>();
  let isLeftOut = wantsNoColors;
  return {
    isLeftOut: (): boolean => isLeftOut,
    leaveOut(leftOut: boolean): void {
      isLeftOut = leftOut;
      if (leftOut) for (const callback of callbacks) callback();
    },
    /** Calls back when the person leaves out the colors. Returns a function that stops this. */
    onLeftOut(callback: () => void): () => void {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
