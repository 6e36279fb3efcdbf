// Assembles the key-holder from the place of its state and a master key, for worker thread, process and tests.
import { makeKeyPair } from '@limen/token/keyholder';
import { type Clock, systemClock } from '../../platform/base/clock.ts';
import { type Patience, whenItAnswers } from '../../platform/database/when-it-answers.ts';
import { createAudit } from './audit/log.ts';
import { createFileShelf, rowShelf } from './audit/shelf.ts';
import { Epochs, openIdentity } from './keys/epochs.ts';
import { type BudgetsPerHour, DEFAULT_AUDIT_DAYS, DEFAULT_BUDGETS, type ThrottleRules } from './limits.ts';
import { Outcomes } from './outcomes.ts';
import { type KeyHolderCalls, KeyHolderService } from './service.ts';
import { openFileStore } from './store/file.ts';
import { openPostgresStore } from './store/postgres.ts';
import type { KeyHolderStore } from './store/store.ts';
import { findMasterKey, type MasterKeys } from './store/vault.ts';
import { createHourlyBudgets, shareOut } from './throttle/hourly-budgets.ts';
import { Throttle } from './throttle/throttle.ts';

/** Keys of abandoned challenges are wiped soon after they expire. */
const SWEEP_MS = 5_000;
/** Audit lines are also deleted if no one signs in. */
const TIDY_MS = 3_600_000;

const CLOCK_LEAP =
  'the clock is more than 7 days later or a day earlier than the newest audit line, or has leapt: no audit line is deleted for 7 days; if the clock is wrong, set it right and restart the key-holder';

interface ServiceOptions {
  /** A folder, or a PostgreSQL database that several key-holders share. */
  place: { folder: string } | { databaseUrl: string };
  masterKeys: MasterKeys;
  thresholdOf: (modelVersion: string, rows: number) => number;
  budgets?: Partial<BudgetsPerHour> | undefined;
  auditDays?: number | undefined;
  patience?: Patience | undefined;
  warn: (sentence: string) => void;
}

/** Replaced in tests. A clock also replaces the clock of the database. */
interface Replacements {
  clock?: Clock | undefined;
  monotonic?: () => number;
  makeKeyPair?: typeof makeKeyPair;
  rules?: ThrottleRules;
}

export type OpenedService = Awaited<ReturnType<typeof openService>>;

export async function openService(
  options: ServiceOptions,
  { clock, monotonic = () => performance.now(), rules, makeKeyPair: make = makeKeyPair }: Replacements = {},
) {
  const { place, thresholdOf, warn } = options;
  /** `cut`: lines are missing. `untidied`: days could not be put away or deleted. `clock`: none are deleted. */
  const auditProblems = { cut: false, untidied: false, clock: false };
  const store = await openStore(options, monotonic, clock);
  const onCut = () => {
    auditProblems.cut = true;
    warn('the key-holder’s audit file lacks lines that had been written; see: limen doctor');
  };
  const onNewFile = () => warn('a new audit file begins: the previous one was moved or deleted');
  const shelf = 'databaseUrl' in place ? rowShelf : createFileShelf(place.folder, { onCut, onNewFile });
  const onHeld = (isHeld: boolean) => {
    auditProblems.clock = isHeld;
    if (isHeld) warn(CLOCK_LEAP);
  };
  const audit = createAudit({ store, shelf, days: options.auditDays ?? DEFAULT_AUDIT_DAYS, onHeld });
  const perHour = shareOut({ ...DEFAULT_BUDGETS, ...options.budgets });
  const budgets = createHourlyBudgets(audit, perHour, warn);
  const stopping = new AbortController();
  const epochs = new Epochs({ store, audit, budgets, makeKeyPair: make, stopping: stopping.signal });
  const outcomes = new Outcomes({ store, audit, budgets, throttle: new Throttle(rules) });
  const identity = await openIdentity(store);
  const service = new KeyHolderService({
    store,
    epochs,
    outcomes,
    identity,
    makeKeyPair: make,
    thresholdOf,
    monotonic,
  });
  const calls: KeyHolderCalls = service;
  const tidy = async () => {
    auditProblems.untidied = await audit.tidy().then(
      () => false,
      () => true,
    );
    if (auditProblems.untidied)
      warn('old audit lines could not be put away or deleted; this is retried within the hour');
  };
  await tidy();
  const sweep = () => void service.sweep().catch(() => {});
  const timers = [setInterval(sweep, SWEEP_MS).unref(), setInterval(() => void tidy(), TIDY_MS).unref()];
  return {
    calls,
    auditProblems,
    /** Returns the state of the store, for metrics and health checks. Throws if the store does not answer. */
    report: () =>
      store.read(async (rows) => ({
        masterKey: await findMasterKey(rows, options.masterKeys),
        answers: await budgets.listSpent(rows),
        auditFault: await audit.findFault(rows),
      })),
    identity: identity.publicKey,
    stop: () => stopping.abort(),
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      epochs.close();
      await store.close();
    },
  };
}

function openStore(
  { place, masterKeys, warn, patience }: ServiceOptions,
  monotonic: () => number,
  clock?: Clock,
): Promise<KeyHolderStore> {
  if ('folder' in place) return openFileStore(place.folder, masterKeys, clock ?? systemClock, monotonic);
  const onBroken = () => warn('a connection to the key-holder’s database broke; it is made again');
  const open = () => openPostgresStore({ url: place.databaseUrl, masterKeys, onBroken, now: clock?.now });
  const settings = { url: 'KEYHOLDER_DATABASE_URL', wait: 'KEYHOLDER_DATABASE_WAIT_SECONDS' };
  return patience ? whenItAnswers(patience, settings, open) : open();
}
