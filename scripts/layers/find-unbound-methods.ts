// Finds class methods detached from their object: read without a call, destructured, or lost by
// spreading an instance. They would run without `this`, which the compiler does not report.
import { relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { API, type Checker, type Symbol as MemberSymbol, SymbolFlags } from 'typescript/unstable/sync';

export interface Source {
  file: string;
  source: string;
}

interface Candidate {
  /** Offset of the method's name, of its new name, or of the end of the spread value. */
  at: number;
  kind: 'reads' | 'destructures' | 'spreads';
}

type Program = ReturnType<typeof parseSync>['program'];

/** Returns a sentence for each detached method of `sources` that `config` includes. */
export function findUnboundMethods(sources: readonly Source[], config: string): string[] {
  const api = new API({ cwd: resolve('.') });
  try {
    const { checker, rootFiles } = api.updateSnapshot({ openProjects: [resolve(config)] }).getProjects()[0]!;
    const included = new Set(rootFiles.map((path) => relative('.', path)));
    const parsed = sources
      .filter(({ file }) => included.has(file))
      .map(({ file, source }) => ({ file, source, program: parseSync(file, source).program }));
    const methods = new Map(parsed.map(({ file, program }) => [resolve(file), listMethods(program)]));
    const names = new Set([...methods.values()].flatMap((ofFile) => [...ofFile]));
    // Members of a `Pick` have no parent, but the declarations of the copied members do.
    const isMethodOfClass = (symbol: MemberSymbol | undefined) =>
      symbol !== undefined &&
      ((symbol.getParent()?.flags ?? SymbolFlags.Class) & SymbolFlags.Class) !== 0 &&
      symbol.declarations.some(({ path }) => methods.get(path)?.has(symbol.name.replace(/^.*#/, '#')));
    return parsed.flatMap(({ file, source, program }) =>
      keepUnbound(checker, file, findCandidates(program, names), isMethodOfClass).map(({ at, kind }) => {
        const line = source.slice(0, at).split('\n').length;
        const name = kind === 'spreads' ? 'an instance' : /^[#\w$]+/.exec(source.slice(at))?.[0];
        return `${file}:${line} ${kind} ${name}: call methods on their object, or make the method an arrow function`;
      }),
    );
  } finally {
    api.close();
  }
}

function listMethods(program: Program): Set<string> {
  const names = new Set<string>();
  new Visitor({
    MethodDefinition({ key, kind, static: isStatic }) {
      if (kind === 'method' && !isStatic && (key.type === 'Identifier' || key.type === 'PrivateIdentifier'))
        names.add(nameOf(key));
    },
  }).visit(program);
  return names;
}

/** Candidates have a method's name, because asking the compiler is slow. */
function findCandidates(program: Program, methods: ReadonlySet<string>): Candidate[] {
  const found: Candidate[] = [];
  /** Members that are called, bound or assigned. */
  const kept = new Set<object>();
  new Visitor({
    CallExpression: ({ callee }) =>
      void kept.add(callee.type === 'ParenthesizedExpression' ? callee.expression : callee),
    AssignmentExpression: ({ left }) => void kept.add(left),
    MemberExpression({ object, property }) {
      if (property.type === 'Identifier' && property.name === 'bind') kept.add(object);
    },
    'MemberExpression:exit': (node) => {
      if (node.type !== 'MemberExpression' || node.computed || kept.has(node)) return;
      const { property } = node;
      if ((property.type === 'Identifier' || property.type === 'PrivateIdentifier') && methods.has(nameOf(property)))
        found.push({ at: property.start, kind: 'reads' });
    },
    ObjectPattern({ properties }) {
      for (const property of properties)
        if (property.type === 'Property' && property.key.type === 'Identifier' && methods.has(property.key.name))
          found.push({ at: property.value.start, kind: 'destructures' });
    },
    ObjectExpression({ properties }) {
      for (const property of properties)
        if (
          property.type === 'SpreadElement' &&
          /^(Identifier|MemberExpression|ThisExpression)$/.test(property.argument.type)
        )
          found.push({ at: property.argument.end - 1, kind: 'spreads' });
    },
  }).visit(program);
  return found;
}

/** Batches the candidates of a file, because each question is a message to another process. */
function keepUnbound(
  checker: Checker,
  file: string,
  candidates: readonly Candidate[],
  isMethodOfClass: (symbol: MemberSymbol | undefined) => boolean,
): Candidate[] {
  const path = resolve(file);
  const ask = <Answer>(kinds: readonly Candidate['kind'][], answer: (at: number[]) => Answer[]) => {
    const asked = candidates.filter(({ kind }) => kinds.includes(kind));
    const answers = asked.length > 0 ? answer(asked.map(({ at }) => at)) : [];
    return asked.map((candidate, index) => [candidate, answers[index]!] as const);
  };
  const reads = ask(['reads'], (at) => checker.getSymbolAtPosition(path, at));
  const types = ask(['destructures', 'spreads'], (at) => checker.getTypeAtPosition(path, at));
  return [
    ...reads.filter(([, symbol]) => isMethodOfClass(symbol)),
    ...types.filter(([{ kind }, type]) => {
      // A method's type has the symbol of its declaration, even under another name.
      if (kind === 'destructures') return isMethodOfClass(type?.getSymbol());
      const isInstance = ((type?.getSymbol()?.flags ?? 0) & SymbolFlags.Class) !== 0;
      return isInstance && checker.getPropertiesOfType(type!).some(isMethodOfClass);
    }),
  ].map(([candidate]) => candidate);
}

function nameOf({ type, name }: { type: string; name: string }): string {
  return type === 'PrivateIdentifier' ? `#${name}` : name;
}
