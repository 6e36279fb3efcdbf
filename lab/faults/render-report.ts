// The table of faults, for the terminal and for docs/reference/faults.md.
import type { ClassResult, FaultReport } from './play-faults.ts';

/** Violations, one line each. */
export function listLosses({ classes, surprises }: FaultReport): string[] {
  return [
    ...classes.flatMap((one) => [
      ...(one.lostWrites > 0 ? [`${one.name}: ${one.lostWrites} acknowledged writes are lost`] : []),
      ...(one.lostWebhooks > 0 ? [`${one.name}: ${one.lostWebhooks} webhooks are lost`] : []),
      ...(one.doubledWebhooks > 0 ? [`${one.name}: ${one.doubledWebhooks} webhooks came under two ids`] : []),
    ]),
    ...surprises,
  ];
}

/** Durations over the limit on an idle machine. */
export function listDelays({ classes }: FaultReport): string[] {
  return classes
    .filter(({ longestSeconds, withinSeconds }) => longestSeconds > withinSeconds)
    .map(
      ({ name, longestSeconds, withinSeconds }) =>
        `${name}: a request was answered after ${longestSeconds.toFixed(1)} s, and not within ${withinSeconds}`,
    );
}

export function renderTable(classes: readonly ClassResult[]): string {
  const heads = [
    'class',
    'fault',
    'rounds',
    'writes lost',
    'webhooks lost',
    'late',
    'repeated',
    'refused tries',
    'longest wait',
    'sessions begun again',
    'sign-ins begun again',
  ];
  const rows = classes.map((one) => [
    `\`${one.name}\``,
    one.what,
    String(one.rounds),
    `${one.lostWrites} of ${one.writes}`,
    `${one.lostWebhooks} of ${one.sessions}`,
    String(one.lateWebhooks),
    String(one.repeatedWebhooks + one.doubledWebhooks),
    String(one.refused),
    `${one.longestSeconds.toFixed(1)} s`,
    `${one.againSessions} of ${one.sessions + one.againSessions}`,
    `${one.againSignIns} of ${one.signIns + one.againSignIns}`,
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
