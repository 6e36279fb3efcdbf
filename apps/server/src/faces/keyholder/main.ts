// The key-holder as a process of its own: reads the environment, listens, and shuts down on a signal.
import { describeForLog, describeUncaught, StartError } from '../../platform/base/errors.ts';
import { createLogSink } from '../../platform/base/logging.ts';
import { masterKeyFile } from '../../platform/sealing/master-key.ts';
import { describeStartFailure } from '../../platform/start-failure.ts';
import { createAnswerCall, createCallCounts } from './answer-call.ts';
import { loadThresholds } from './compare.ts';
import { openService } from './open.ts';
import { readKeyHolderSettings } from './settings.ts';
import { listenForService } from './tls-server.ts';
import type { MetricsListener } from './watch/metrics.ts';

try {
  await run();
} catch (error) {
  console.error(describeStartFailure(error, 'KEYHOLDER_'));
  process.exit(1);
}

async function run(): Promise<void> {
  process.umask(0o077); // only this user may read the files
  const read = readKeyHolderSettings(process.env);
  if ('problems' in read) throw new StartError(['The settings have problems:', ...read.problems].join('\n  - '));
  const { settings } = read;
  const { log, flush } = createLogSink(settings.LOG_LEVEL);
  process.on('exit', flush);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal(describeUncaught(error), 'unexpected failure; the process ends');
      process.exit(1);
    });
  }
  // Windows sends it when a console window closes, which ends the process there.
  if (process.platform !== 'win32')
    process.on('SIGHUP', () => log.info('SIGHUP: the key-holder has nothing to reload'));
  const { KEYHOLDER_DATA_DIR: folder, KEYHOLDER_DATABASE_URL: databaseUrl } = settings;
  const seconds = settings.KEYHOLDER_DATABASE_WAIT_SECONDS;
  const keyFile = masterKeyFile(folder);
  const service = await openService({
    place: databaseUrl === undefined ? { folder } : { databaseUrl },
    patience: {
      forMs: seconds * 1000,
      onWaiting: (reason) => log.warn({ seconds, reason }, 'waiting for the key-holder’s database'),
    },
    masterKeys: settings.KEYHOLDER_MASTER_KEY ?? [keyFile.read() ?? keyFile.create()],
    thresholdOf: await loadThresholds(settings.KEYHOLDER_MATCH_THRESHOLD, undefined),
    budgets: {
      sign_in: settings.KEYHOLDER_ANSWERS_PER_HOUR,
      sign_in_address: settings.KEYHOLDER_ANSWERS_PER_ADDRESS,
      sign_in_person: settings.KEYHOLDER_ANSWERS_PER_PERSON,
      enrol: settings.KEYHOLDER_ENROLMENTS_PER_HOUR,
      enrol_address: settings.KEYHOLDER_ENROLMENTS_PER_ADDRESS,
    },
    auditDays: settings.AUDIT_DAYS,
    warn: (sentence) => log.warn(sentence),
  });
  const counts = createCallCounts();
  const server = await listenForService({
    host: settings.KEYHOLDER_HOST,
    port: settings.KEYHOLDER_PORT,
    secrets: settings.KEYHOLDER_SECRET,
    answer: createAnswerCall(service.calls, (facts, sentence) => log.error(facts, sentence), counts),
    log,
  });
  let metrics: MetricsListener | undefined;
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) return; // Ctrl-C under npm arrives twice
    isStopping = true;
    log.info({ signal }, 'stopping: finishing requests in progress');
    service.stop();
    metrics?.close();
    await server.close().catch((error) => {
      log.error(describeForLog(error), 'stopping failed');
      process.exit(1);
    });
    await service.close();
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));

  const { KEYHOLDER_METRICS_PORT: port, KEYHOLDER_METRICS_HOST: host, KEYHOLDER_METRICS_TOKEN: token } = settings;
  if (port !== undefined) {
    // Loaded only if needed: the module takes as long to load as the rest of the start.
    const { createKeyHolderMetrics, listenForMetrics } = await import('./watch/metrics.ts');
    const watched = createKeyHolderMetrics(service, server, counts, { processMetrics: true });
    metrics = await listenForMetrics({ host, port, token, watched, log });
  }
  flush();
  const addressOf = (host: string, port: number) => `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [
    `listening on tls://${addressOf(settings.KEYHOLDER_HOST, server.port)}`,
    `identity ${Buffer.from(service.identity).toString('base64url')}`,
    ...(metrics ? [`metrics on http://${addressOf(host, metrics.port)}/metrics`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
