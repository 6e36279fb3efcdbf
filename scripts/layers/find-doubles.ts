// Finds type names that an app or package defines in two files, because a search for one would find
// the other.

const DEFINITION = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|type) (\w+)(?=[\s<={])/gm;

/** Returns a sentence for each repeated name. */
export function findDoubles(sources: readonly { file: string; source: string }[]): string[] {
  const first = new Map<string, string>();
  return sources.flatMap(({ file, source }) => {
    const app = file.split('/').slice(0, 2).join('/');
    const names = new Set([...source.matchAll(DEFINITION)].map(([, name]) => name!));
    return [...names].flatMap((name) => {
      const firstPath = first.get(`${app} ${name}`);
      if (firstPath === undefined) first.set(`${app} ${name}`, file);
      return firstPath === undefined
        ? []
        : [`${file} defines ${name}, as ${firstPath} does: give each a name of its own`];
    });
  });
}
