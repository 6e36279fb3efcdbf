// Something that is made when it is first asked for, and then known: a promise is shared by all who wait for it.

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
