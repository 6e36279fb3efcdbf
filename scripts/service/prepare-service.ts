// Makes sure that the service is built, for whoever is about to start it.
import { currentBuild } from '../../apps/server/src/operations/start/built-program.ts';
import { runBuilder } from '../run-builder.ts';

/** A test starts it as it is; whoever cannot build it starts it from its sources, a second slower. */
export async function prepareServiceForStart({ NODE_ENV }: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (NODE_ENV === 'test' || currentBuild()) return;
  process.stderr.write('building the service (once, a few seconds) …\n');
  if ((await runBuilder(['service'])) === 0) return;
  process.stderr.write('The service could not be built and starts from its sources, which takes a little longer.\n');
}
