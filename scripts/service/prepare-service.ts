// Ensures that the service is built before it is started.
import { currentBuild } from '../../apps/server/src/operations/start/built-program.ts';
import { runBuilder } from '../run-builder.ts';

/** Tests start it as it is. If it cannot be built, it starts from its sources, a second slower. */
export async function prepareServiceForStart({ NODE_ENV }: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (NODE_ENV === 'test' || currentBuild()) return;
  process.stderr.write('building the service (once, a few seconds) …\n');
  if ((await runBuilder(['service'])) === 0) return;
  process.stderr.write('The service could not be built and starts from its sources, which takes a little longer.\n');
}
