// Reads the results of a vitest run from its JSON report.

export interface TestResults {
  passed: number;
  failed: number;
  pending: number;
  /** Names that state why they were skipped: `… (skipped: why)`. */
  lacking: string[];
}

/** The used part of the report. */
interface Report extends Record<string, unknown> {
  testResults?: { assertionResults: { status: string; ancestorTitles: string[]; title: string }[] }[];
}

const SAYS_WHY = /\(skipped: [^)]+\)$/;

export function readResults(json: string): TestResults {
  const report = JSON.parse(json) as Report;
  return {
    passed: countIn(report, 'numPassedTests'),
    failed: countIn(report, 'numFailedTests'),
    pending: countIn(report, 'numPendingTests'),
    lacking: namesThatSayWhy(report),
  };
}

function namesThatSayWhy({ testResults = [] }: Report): string[] {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const names = tests
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .flatMap(({ ancestorTitles, title }) => [...ancestorTitles, title]);
  return [...new Set(names.filter((name) => SAYS_WHY.test(name)))];
}

function countIn(report: Record<string, unknown>, name: string): number {
  const count = report[name];
  if (typeof count !== 'number') throw new Error(`the report has no ${name}`);
  return count;
}
