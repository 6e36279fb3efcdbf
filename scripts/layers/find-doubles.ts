// Finds type names that an app or a package defines in two files: a reader who searches for one would find the other.

const DEFINITION = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|type) (\w+)(?=[\s<={])/gm;

/**
 * Returns a sentence for each name that is defined a second time. `known`: names that may be, such as `apps/server Row`.
 * One that is no longer double must leave that list.
 */
export function findDoubles(
  sources: readonly { file: string; source: string }[],
  known: readonly string[] = [],
): string[] {
  const first = new Map<string, string>();
  const stale = new Set(known);
  const faults = sources.flatMap(({ file, source }) => {
    const app = file.split('/').slice(0, 2).join('/');
    const names = new Set([...source.matchAll(DEFINITION)].map(([, name]) => name!));
    return [...names].flatMap((name) => {
      const key = `${app} ${name}`;
      const other = first.get(key);
      if (other === undefined) first.set(key, file);
      else stale.delete(key);
      return other === undefined || known.includes(key)
        ? []
        : [`${file} defines ${name}, as ${other} does: give each a name of its own`];
    });
  });
  return [...faults, ...[...stale].map((name) => `${name} is no longer double: remove it from double-names.txt`)];
}
