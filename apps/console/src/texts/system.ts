export const SYSTEM_TEXTS = {
  heading: 'System',
  about: (version: string) => `Limen ${version}, running since`,
  findings: 'Doctor findings',
  findingsHint: 'Same findings as limen doctor.',
  examining: 'Examining…',
  levels: { ok: 'ok', warning: 'warning', failure: 'problem' },
  summary: (failures: number, warnings: number) =>
    failures + warnings === 0
      ? 'No problems.'
      : [
          failures > 0 && `${failures} ${failures === 1 ? 'problem' : 'problems'}`,
          warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
        ]
          .filter(Boolean)
          .join(', ')
          .concat('.'),
  jobs: 'Jobs',
  jobColumns: { kind: 'Kind', due: 'Due', waiting: 'Scheduled', running: 'Running', dead: 'Dead' },
  noJobs: 'No jobs.',
  dead: 'Dead jobs',
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  retry: 'Run again',
  webhooksSpan: 'Created in the last 30 days.',
  openWebhooks: 'Open the list',
  anchors: 'Trust anchors',
  noAnchors: 'No issuers are trusted, so live sessions offer no wallets. Add issuers with limen trust.',
  anchorColumns: { name: 'Name', profile: 'Profile', until: 'Valid until', state: 'State' },
  states: { valid: 'valid', not_yet_valid: 'not yet valid', expires_soon: 'expires soon', expired: 'expired' },
} as const;
