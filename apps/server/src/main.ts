// Starts and stops the service: reads the environment, listens, and ends cleanly on a signal.
import { type AppOptions, createApp } from './app.ts';
import { developmentKeySettings, loadConfig } from './config.ts';
import { noteConsoleAddress } from './console/operators/console-address.ts';
import { inviteFirstOperator } from './console/operators/operators.ts';
import { findConsoleAddress } from './console/settings.ts';
import { announce, warnings } from './operations/start/banner.ts';
import { findDevelopmentKey } from './platform/api-keys/development-key.ts';
import { describeForLog, describeUncaught } from './platform/base/errors.ts';
import { createLogSink } from './platform/base/logging.ts';
import { describeStartFailure } from './platform/start-failure.ts';

const SHUTDOWN_MS = 25_000;

try {
  await serve();
} catch (error) {
  console.error(describeStartFailure(error));
  process.exit(1);
}

async function serve(): Promise<void> {
  process.umask(0o077); // files are for this user only
  const config = loadConfig(process.env);
  const { log, flush } = createLogSink(config.LOG_LEVEL);
  process.on('exit', flush);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal(describeUncaught(error), 'unexpected failure; the process ends');
      flush();
      process.exit(1);
    });
  }

  let reload: (() => void) | undefined;
  // On Windows, the signal means that the console window closed, and ends the process.
  if (process.platform !== 'win32') process.on('SIGHUP', () => reload?.());

  const app = await createApp({
    config,
    log,
    processMetrics: true,
    tuning: { screening: { warmWorkers: config.NODE_ENV !== 'test' } },
    prepareModels: config.NODE_ENV !== 'test',
    openDemo: config.production ? undefined : await loadDemo(),
    onOutgrown: ({ message }) => {
      log.fatal(message);
      flush();
      process.exit(1);
    },
  });
  const developmentKey = await findDevelopmentKey(developmentKeySettings(config), app.apiKeys);
  const address = await app.listen();
  reload = app.reloadCertificate ?? (() => log.info('SIGHUP: there is no certificate to reload (TLS_CERT is not set)'));
  const consoleUrl = findConsoleAddress(config, { address: () => address });
  const isNamed = consoleUrl === undefined || config.CONSOLE_URL !== undefined;
  const forgetAddress = isNamed ? undefined : noteConsoleAddress(config.DATA_DIR, consoleUrl);
  await app.jobs.start();

  let delay: NodeJS.Timeout | undefined;
  const seconds = config.SHUTDOWN_DELAY_SECONDS;
  /** Reaction to the next signal; each signal is more urgent */
  let onSignal = seconds > 0 ? drain : close;
  function drain(signal: NodeJS.Signals): void {
    onSignal = close;
    log.info({ signal, seconds }, 'stopping soon: /ready refuses, requests are still served');
    app.refuseReadiness();
    delay = setTimeout(() => onSignal(signal), seconds * 1000);
  }
  function close(signal: NodeJS.Signals): void {
    onSignal = () => process.exit(1);
    clearTimeout(delay);
    log.info({ signal }, 'stopping: finishing requests in progress');
    setTimeout(() => {
      log.warn('some requests did not finish in time and were cut off');
      flush();
      process.exit(0);
    }, SHUTDOWN_MS).unref();
    forgetAddress?.();
    app.close().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error) => {
        log.error(describeForLog(error), 'stopping failed');
        process.exit(1);
      },
    );
  }
  let lastSignalAt = Number.NEGATIVE_INFINITY;
  const stop = (signal: NodeJS.Signals) => {
    // Ctrl-C under npm arrives twice, from the terminal and from npm.
    if (performance.now() - lastSignalAt < 1_000) return;
    lastSignalAt = performance.now();
    onSignal(signal);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  flush();
  // Only a generated key is shown; the operator knows a key from the environment.
  const shownKey =
    developmentKey && config.DEV_API_KEY === undefined ? await app.apiKeys.reveal(developmentKey.id) : undefined;
  const isAlone = !config.production && config.DATABASE_URL === undefined;
  const invite = await inviteFirstOperator(isAlone ? consoleUrl : undefined, app);
  process.stdout.write(announce(config, address, { developmentKey: shownKey, invite }));
  for (const warning of warnings(config)) log.warn(warning);
}

/** Returns undefined in an image, which does not contain the demo. */
async function loadDemo(): Promise<AppOptions['openDemo']> {
  try {
    return (await import('../../../tools/demo/server/open-demo.ts')).openDemo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
