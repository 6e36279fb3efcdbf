// `limen keys rotate-enrol`: gives customers a new enrollment key and re-encrypts every face token, without the people.
import { type Command, Option } from 'commander';
import { type Cli, CommandError, examples } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { withInterrupt } from '../../command-line/interrupt.ts';
import { parseShortText } from '../../command-line/options.ts';
import { toPrintable } from '../../command-line/terminal/print-table.ts';
import { progressOnTerminal } from '../../command-line/terminal/progress.ts';
import { formatOwner } from '../../platform/api-keys/owner.ts';
import type { CustomerId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import { KeyHolderUnavailableError } from '../keyholder/link/calls.ts';
import { MAX_RENEWALS } from '../limits.ts';
import { signInSettings } from '../settings.ts';
import { openSignIn } from '../tokens/open-sign-in.ts';
import type { RenewalProgress, RenewalReport } from '../tokens/tokens.ts';

interface RotateEnrollOptions {
  customer?: CustomerId;
  world?: World;
  json?: true;
}

export function addKeysRotateEnroll(keys: Command, cli: Cli): void {
  keys
    .command('rotate-enrol')
    .description('Re-encrypt face tokens under a new key and delete the old one, without interrupting sign-ins')
    .option('--customer <id>', 'customer to rotate; default: all', parseShortText)
    .addOption(new Option('--world <world>', 'world to rotate; default: both').choices(['live', 'test']))
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen keys rotate-enrol', 'limen keys rotate-enrol --customer acme'))
    .action((options: RotateEnrollOptions) => rotateEnroll(cli, options));
}

async function rotateEnroll(cli: Cli, { customer, world, json }: RotateEnrollOptions): Promise<void> {
  const { terminal } = cli;
  const progress = progressOnTerminal();
  const showRenewed = ({ owner, renewed, total }: RenewalProgress) =>
    progress.show({ label: toPrintable(formatOwner(owner)), done: renewed, total, unit: 'rows' });
  try {
    const report = await withInterrupt((signal) =>
      withContext(cli, async ({ record, ...context }) => {
        const signIn = await openSignIn(context, signInSettings(context.config));
        try {
          const about = [customer, world].filter((part) => part !== undefined).join(' ') || 'everybody';
          await record('enrol-keys.rotate', about);
          return await signIn.tokens.renewAll({ customer, world }, showRenewed, signal);
        } catch (error) {
          throw explain(error, signal, signIn.keyHolder.state());
        } finally {
          await signIn.close();
        }
      }),
    );
    progress.clear();
    terminal.print(json ? JSON.stringify(report, null, 2) : describeReport(report));
  } finally {
    progress.clear();
  }
}

function explain(error: unknown, signal: AbortSignal, state: string): unknown {
  if (signal.aborted) {
    return new CommandError('Stopped. Both keys are kept and every token works. Run it again to continue.');
  }
  if (error instanceof KeyHolderUnavailableError) {
    return new CommandError(`The key-holder does not answer (${state}). Nothing is lost. Run it again to continue.`);
  }
  return error;
}

export function describeReport({ customers, renewed, retired, lost, worn }: RenewalReport): string {
  if (customers === 0 && lost === 0) return 'There are no face tokens to renew.';
  const tokens = `${renewed} face token${renewed === 1 ? '' : 's'}`;
  const of = customers === 1 ? '1 customer' : `${customers} customers`;
  const renewedNow = `Renewed ${tokens} of ${of}; ${retired === 1 ? '1 old key is' : `${retired} old keys are`} deleted.`;
  const often = `${worn} of them ${worn === 1 ? 'has' : 'have'} now been renewed more than ${MAX_RENEWALS} times`;
  const done =
    worn === 0
      ? renewedNow
      : `${renewedNow}\n${often}: those people should enroll again, for scores as exact as before.`;
  if (lost === 0) return done;
  const without = `${lost} token${lost === 1 ? ' has' : 's have'} a key that this key-holder does not hold`;
  return `${done}\n${without}: restore the key-holder’s folder, or those people must enroll again.`;
}
