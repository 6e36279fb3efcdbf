// What came of a run of vitest, from its JSON report.

export interface TestResults {
  passed: number;
  failed: number;
  pending: number;
}

export function readResults(json: string): TestResults {
  const report = JSON.parse(json) as Record<string, unknown>;
  return {
    passed: countIn(report, 'numPassedTests'),
    failed: countIn(report, 'numFailedTests'),
    pending: countIn(report, 'numPendingTests'),
  };
}

function countIn(report: Record<string, unknown>, name: string): number {
  const count = report[name];
  if (typeof count !== 'number') throw new Error(`the report has no ${name}`);
  return count;
}
