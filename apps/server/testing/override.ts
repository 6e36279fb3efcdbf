/** Returns the object with some methods replaced. Unlike a spread, this also works for classes. */
export function override<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return new Proxy(target, {
    get(from, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(from, name);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}
