// The architecture rules must detect planted violations anywhere.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { LOG_EVENTS } from '@limen/plan';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCopies } from '../scripts/layers/find-copies.ts';
import { findDoubles } from '../scripts/layers/find-doubles.ts';
import { findJoinedFiles, findJoinedFolders, findRoomless, findStrayImports } from '../scripts/layers/find-faults.ts';
import { findForeignTables } from '../scripts/layers/find-foreign-tables.ts';
import { findUnboundMethods } from '../scripts/layers/find-unbound-methods.ts';
import { findImports } from '../scripts/layers/read-imports.ts';

/** Violations by these imports at `path`. */
function refusedAt(path: string, ...specifiers: string[]): string[] {
  return specifiers.filter(
    (specifier) => findStrayImports(findImports('.', path, `import '${specifier}';\n`)).length > 0,
  );
}

const ABOVE = ['../../app.ts', '../../limen.ts', '../../operations/retention.ts'];
const STRINGS = '../../strings/service.ts';

describe('find-faults refuses upward imports', () => {
  it.each([
    { path: 'apps/server/src/platform/http/x.ts', refused: [...ABOVE, STRINGS, '../../config.ts'] },
    { path: 'apps/server/src/records/audit/x.ts', refused: [...ABOVE, '../../console/door/console.ts'] },
    {
      path: 'apps/server/src/screening/lists/x.ts',
      refused: [...ABOVE, '../../faces/limits.ts', '../../sessions/open.ts'],
    },
    { path: 'apps/server/src/screening/lists/x.ts', refused: ['../match/one.ts', '../files/screen.ts', '../open.ts'] },
    { path: 'apps/server/src/faces/tokens/x.ts', refused: [...ABOVE, '../../screening/limits.ts', '../node/open.ts'] },
    { path: 'apps/server/src/faces/keyholder/x.ts', refused: ['../galleries/people.ts', '../../config.ts'] },
    { path: 'apps/server/src/platform/base/x.ts', refused: ['../database/database.ts'] },
    { path: 'apps/server/src/sessions/age/x.ts', refused: ['../../config.ts', '../verification/rules.ts'] },
    { path: 'apps/server/src/config.ts', refused: ['./faces/keyholder/settings.ts', './app.ts'] },
    { path: 'apps/server/src/strings/x.ts', refused: ['../config.ts', '../webhooks/outbox.ts', '../sessions/open.ts'] },
    { path: 'apps/server/src/app.ts', refused: ['../../../tools/run-tool.ts', '../../../lab/cluster.ts'] },
    { path: 'apps/server/src/main.ts', refused: ['../../../tools/run-tool.ts', '../../../lab/cluster.ts'] },
    { path: 'packages/screening/src/x.ts', refused: ['@limen/server', '../../sdk/src/index.ts'] },
    { path: 'packages/screening/src/x.test.ts', refused: ['../../../apps/server/src/sessions/lifecycle/sessions.ts'] },
    { path: 'packages/contract/src/x.ts', refused: ['@limen/server', '../../sdk/src/index.ts'] },
    { path: 'packages/plan/src/x.ts', refused: ['@limen/contract', 'typebox', 'node:fs'] },
    { path: 'apps/launch/src/ui/screens/x.ts', refused: ['../../flow/page.ts', '../../models/face-engine.ts'] },
    { path: 'apps/launch/src/ui/screens/x.ts', refused: ['@limen/sdk/device'] },
    { path: 'apps/launch/src/flow/check/x.ts', refused: ['../../ui/app.tsx', 'preact'] },
    { path: 'apps/launch/src/steps/x.ts', refused: ['../flow/page.ts'] },
    { path: 'apps/launch/src/face/read/x.ts', refused: ['../../models/face-engine.ts', 'node:fs'] },
  ])('in $path', ({ path, refused }) => {
    expect(refusedAt(path, ...refused)).toEqual(refused);
  });

  it("of a thread's URL, or of a type", () => {
    for (const text of [
      "new Worker(new URL('../../faces/keyholder/worker.ts', import.meta.url));",
      "import type { KeyHolderService } from '../../faces/keyholder/service.ts';",
      "const { openService } = await import('../../faces/keyholder/open-service.ts');",
      'const { openService } = await import(`../../faces/keyholder/open-service.ts`);',
      'new Worker(new URL(`../../faces/keyholder/worker.ts`, import.meta.url));',
      "new Worker(\n  new URL(\n    '../../faces/keyholder/worker.ts',\n    import.meta.url,\n  ),\n);",
      "new Worker(import.meta.resolve('../../faces/keyholder/worker.ts'));",
      "const FILE = '../../faces/keyholder/worker.ts';\nnew Worker(new URL(FILE, import.meta.url));",
      "const address = new URL('../../faces/keyholder/worker.ts', import.meta.url);\nnew Worker(address);",
    ]) {
      expect(findStrayImports(findImports('.', 'apps/server/src/console/door/x.ts', text))).toHaveLength(1);
    }
  });
});

it('finds a folder without a room', () => {
  const housed = ['apps/launch/src/ui/app.tsx', 'apps/launch/src/main.tsx', 'apps/server/src/app.ts'];
  expect(findRoomless(housed)).toEqual([]);
  expect(findRoomless([...housed, 'apps/launch/src/attic/x.ts', 'apps/launch/src/attic/y.ts'])).toHaveLength(1);
  expect(findRoomless([...housed, 'apps/server/src/sessions/attic/x.ts'])).toHaveLength(1);
});

it('restricts reading settings to settings.ts and commands', () => {
  for (const path of ['sessions/settings.ts', 'screening/cli/x.ts', 'console/audit/cli.ts', 'operations/start/x.ts']) {
    const way = `${'../'.repeat(path.split('/').length - 1)}config.ts`;
    expect(refusedAt(`apps/server/src/${path}`, way)).toEqual([]);
  }
});

it('accepts downward imports', () => {
  const lawful = ['../../platform/base/errors.ts', './rules.ts', '@limen/contract', '../../webhooks/outbox.ts'];
  expect(refusedAt('apps/server/src/sessions/host/x.ts', ...lawful)).toEqual([]);
  expect(
    refusedAt('apps/launch/src/ui/screens/x.ts', '../../course/screens.ts', '../../i18n/index.ts', 'preact'),
  ).toEqual([]);
});

describe('circles', () => {
  const circle = (text: (to: string) => string, [a, b, c]: [string, string, string]) =>
    findJoinedFiles([
      ...findImports('.', a, text(b)),
      ...findImports('.', b, text(c)),
      ...findImports('.', c, text(a)),
    ]);
  const one: [string, string, string] = ['apps/x/a.ts', 'apps/x/b.ts', 'apps/x/c.ts'];
  const several: [string, string, string] = ['apps/x/a.ts', 'apps/y/b.ts', 'apps/z/c.ts'];
  const way = (to: string) => `../${to.split('/').slice(1).join('/')}`;

  it('are found among imports of any folders', () => {
    expect(circle((to) => `import '${way(to)}';`, one)).toHaveLength(1);
    expect(circle((to) => `import '${way(to)}';`, several)).toHaveLength(1);
  });

  it('are found among threads', () => {
    expect(circle((to) => `new Worker(new URL('${way(to)}', import.meta.url));`, one)).toHaveLength(1);
  });

  it('are found among types of any folders', () => {
    expect(circle((to) => `import type { A } from '${way(to)}';`, one)).toHaveLength(1);
    expect(circle((to) => `import { type A } from '${way(to)}';`, several)).toHaveLength(1);
  });
});

it.each(['interface Turn {', 'type Turn = 1;', 'class Turn {', 'export abstract class Turn<T> {', 'enum Turn {'])(
  'finds a type name that an app defines twice: %s',
  (second) => {
    const one = { file: 'apps/x/src/a/one.ts', source: 'export interface Turn {\n}\n' };
    expect(findDoubles([one, { file: 'apps/x/src/b.ts', source: `${second}\n` }])).toHaveLength(1);
    expect(findDoubles([one, { file: 'apps/y/src/b.ts', source: `${second}\n` }])).toEqual([]);
    expect(findDoubles([one, { file: 'apps/x/src/b.ts', source: `  ${second}\n` }])).toEqual([]);
  },
);

it('finds class methods detached from their object', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limen-methods-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = `
    class Counter { count = 0; step = () => this.add(); add() { this.count += 1; } #hide() {} show() { return this.#hide; } }
    const counter = new Counter();
    const part: Pick<Counter, 'add'> = counter;
    const plain: { add(): void } = counter;
    const { add } = counter;
    const take = ({ add: other }: Pick<Counter, 'add'>) => other();
    export const found = [counter.add, part.add, { ...counter }, [1].map(counter.add), add, take];
    export const passed = [counter.step, plain.add, counter.add(), counter.add.bind(counter), { ...{ counter } }];`;
  const file = join(folder, 'planted.ts');
  const config = join(folder, 'tsconfig.json');
  writeFileSync(file, source);
  writeFileSync(config, '{ "compilerOptions": { "strict": true, "types": [] }, "files": ["planted.ts"] }');
  const faults = findUnboundMethods([{ file: relative('.', file), source }], config);
  expect(faults.map((fault) => /:(\d+ \w+ .*?):/.exec(fault)?.[1])).toEqual([
    '2 reads #hide',
    ...['8 reads add', '8 reads add', '8 reads add'],
    ...['6 destructures add', '7 destructures other', '8 spreads an instance'],
  ]);
});

describe('folders that import each other through different files', () => {
  const joined = (...pairs: [from: string, to: string][]) =>
    findJoinedFolders(pairs.flatMap(([from, to]) => findImports('.', from, `import '${to}';`)));

  it('are found among siblings at any depth and through any detour', () => {
    expect(joined(['apps/x/a/one.ts', '../b/one.ts'], ['apps/x/b/two.ts', '../a/two.ts'])).toHaveLength(1);
    expect(joined(['apps/x/a/in/one.ts', '../../b/one.ts'], ['apps/x/b/in/two.ts', '../../a/two.ts'])).toHaveLength(1);
    const round = joined(
      ['apps/x/a/one.ts', '../b/one.ts'],
      ['apps/x/b/two.ts', '../c/one.ts'],
      ['apps/x/c/two.ts', '../a/two.ts'],
    );
    expect(round).toHaveLength(1);
    expect(round[0]).toContain('apps/x/c/two.ts:1 → apps/x/a/two.ts');
  });

  it('exclude one-way imports, a file above them, and tests', () => {
    const down: [string, string] = ['apps/x/a/one.ts', '../b/one.ts'];
    expect(joined(down, ['apps/x/a/two.ts', '../b/two.ts'])).toEqual([]);
    expect(joined(down, ['apps/x/b/two.ts', '../join.ts'], ['apps/x/join.ts', './a/two.ts'])).toEqual([]);
    expect(joined(down, ['apps/x/b/two.test.ts', '../a/two.ts'])).toEqual([]);
  });
});

describe("a table's name", () => {
  const declares = (room: string, table: string) => ({
    file: `apps/server/src/${room}/tables.ts`,
    source: `export const tables = {\n  ${table}: defineTable({}),\n};\n`,
  });
  const declared = [declares('faces', 'people'), declares('sessions', 'sessions')];
  const foreignAt = (path: string, source: string) =>
    findForeignTables([...declared, { file: `apps/server/src/${path}`, source }]);

  it.each([
    "queries.selectFrom('sessions').selectAll()",
    "queries\n  .selectFrom('people')\n  .innerJoin('sessions as s', 's.person_id', 'people.id')",
    "trx.deleteFrom('sessions')",
    "['people', 'sessions'].map((table) => queries.selectFrom(table))",
    "type Row = Schema['sessions'];",
    "const find = (eb: ExpressionBuilder<Schema, 'sessions'>) => eb;",
    "createRowSeal<Row>(sealer, 'sessions')",
    'sql`update sessions set revision = 1`',
    "sql.raw('delete from sessions where true')",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source that is checked
    "const TABLE = 'sessions';\nsql`select * from ${sql.table(TABLE)}`",
    'sql<Row>`select * from people join sessions on person_id = people.id`',
    'sql`insert into "sessions" select * from people`',
  ])('is refused below its room: %s', (source) => {
    const [fault, ...others] = foreignAt('faces/tokens/x.ts', source);
    expect(others).toEqual([]);
    expect(fault).toContain('names the table sessions');
    expect(foreignAt('sessions/host/x.ts', source)).toEqual([]);
  });

  it('is refused next to its room but accepted in comments and messages', () => {
    expect(foreignAt('screening/lists/x.ts', "queries.selectFrom('people')")).toHaveLength(1);
    const harmless = "// Deleted from sessions.\n/* update sessions */\nthrow new Error('gone from sessions');";
    expect(foreignAt('faces/tokens/x.ts', harmless)).toEqual([]);
  });
});

it.each([
  "const PROMPTS = ['blink', 'turn_left', 'turn_right', 'look_up'];",
  "type Movement = 'turn_left' | 'turn_right' | 'look_up' | 'blink';",
  `const EVENTS = [\n${LOG_EVENTS.map((event) => `  '${event}',\n`).join('')}];`,
  "const PROMPTS = [\n  'blink', // with both eyes\n  /* either way */ 'turn_left',\n  'turn_right',\n  'look_up',\n];",
  "const PROMPTS = ['nod', 'blink', 'turn_left', 'turn_right', 'look_up', 'smile'];",
  "const PROMPTS = Type.Union([Type.Literal('blink'), Type.Literal('turn_left'), Type.Literal('turn_right'), Type.Literal('look_up')]);",
  "const WORDS = { turn_left: { text: 'Left' }, turn_right: at(1, 2), look_up: 'Up', 'blink': 'Blink' };",
  'const WORDS = { turn_left, turn_right, look_up, blink };',
  "enum Movement { Left = 'turn_left', Right = 'turn_right', Up = 'look_up', Blink = 'blink' }",
  'enum Movement { turn_left, turn_right, look_up, blink }',
])("finds a repeated definition of the plan's lists: %s", (text) => {
  expect(findCopies('apps/launch/src/x.ts', text)).toHaveLength(1);
  expect(findCopies('apps/launch/src/x.ts', text.replace(/\b(blink|done)\b/g, 'wink'))).toEqual([]);
});

it.each([
  'const WORDS: Record<Movement, string> = { turn_left: 1, turn_right: 2, look_up: 3, blink: 4 };',
  'const KINDS = { turn_left, turn_right, look_up, blink } as const satisfies Record<Movement, Kind>;',
  'const WORDS = { heads: { turn_left: 1, turn_right: 2, look_up: 3 }, blink: 4 };',
])('accepts tables typed by the plan, or with some of its names: %s', (text) => {
  expect(findCopies('apps/launch/src/x.ts', text)).toEqual([]);
});
