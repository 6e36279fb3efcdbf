// Ensures that the pages are built, for `npm start` and the tests.
import { readBuildRecord } from '../../apps/server/src/platform/http/pages/files.ts';
import { runBuilder } from '../run-builder.ts';
import { isBuilt } from './build-page.ts';
import { distOf, listPages, type PageSource } from './page-list.ts';

interface PrepareOptions {
  pages?: readonly PageSource[];
  /** Returns an exit code. */
  build?: (names: readonly string[]) => Promise<number>;
  say?: (line: string) => void;
}

/** Returns true if every page matches its sources of a moment ago. */
export async function preparePages({
  pages = listPages(),
  build = runBuilder,
  say = (line) => void process.stderr.write(`${line}\n`),
}: PrepareOptions = {}): Promise<boolean> {
  const due = pages.filter((page) => !isBuilt(page));
  if (due.length === 0) return true;
  const names = due.map(({ name }) => name);
  say(`building ${names.length === 1 ? 'the page' : 'the pages'} ${names.join(' and ')} (once, a few seconds) …`);
  // A source edited in the meantime makes the page outdated again.
  if ((await build(names)) === 0) return true;
  for (const page of due.filter((duePage) => !isBuilt(duePage))) say(describeFailure(page));
  return false;
}

/** Tests start hundreds of services with pages built in advance. */
export async function preparePagesForStart(
  { NODE_ENV, SERVE }: NodeJS.ProcessEnv = process.env,
  prepare: (options: PrepareOptions) => Promise<unknown> = preparePages,
): Promise<void> {
  const parts = SERVE?.trim() ? SERVE.split(',').map((part) => part.trim()) : undefined;
  // The demo is only for developers, and links to the launch page.
  const isServed = ({ name }: PageSource) =>
    (parts?.includes(name === 'demo' ? 'launch' : name) ?? true) && (NODE_ENV !== 'production' || name !== 'demo');
  const pages = listPages().filter(isServed);
  if (NODE_ENV === 'test' || pages.length === 0) return;
  try {
    await prepare({ pages });
  } catch (error) {
    // A page that cannot be checked must not prevent the start.
    process.stderr.write(`The pages were not looked at: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function describeFailure(page: PageSource): string {
  const todo = `Run "npm run build" where ${page.folder} can be written and the dependencies are installed (npm ci), or bring its folder dist from there; then start again.`;
  return readBuildRecord(distOf(page))
    ? `The page ${page.name} could not be rebuilt; an earlier build is served. ${todo}`
    : `The page ${page.name} could not be built and is not served. ${todo}`;
}
