// The table of faults, for the terminal and for docs/reference/faults.md.
import type { ClassResult, FaultReport } from './play-faults.ts';

/** Violations, one line each. */
export function listLosses({ classes, surprises }: FaultReport): string[] {
  return [
    ...classes.flatMap((result) => [
      ...(result.lostWrites > 0 ? [`${result.name}: ${result.lostWrites} acknowledged writes are lost`] : []),
      ...(result.lostWebhooks > 0 ? [`${result.name}: ${result.lostWebhooks} webhooks are lost`] : []),
      ...(result.doubledWebhooks > 0 ? [`${result.name}: ${result.doubledWebhooks} webhooks came under two ids`] : []),
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
  const rows = classes.map((result) => [
    `\`${result.name}\``,
    result.what,
    String(result.rounds),
    `${result.lostWrites} of ${result.writes}`,
    `${result.lostWebhooks} of ${result.sessions}`,
    String(result.lateWebhooks),
    String(result.repeatedWebhooks + result.doubledWebhooks),
    String(result.refused),
    `${result.longestSeconds.toFixed(1)} s`,
    `${result.againSessions} of ${result.sessions + result.againSessions}`,
    `${result.againSignIns} of ${result.signIns + result.againSignIns}`,
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
