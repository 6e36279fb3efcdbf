// What came of a run of vitest, from its JSON report.

export interface TestResults {
  passed: number;
  failed: number;
  pending: number;
  /** Those that failed first and passed when they were tried again, each with what it complained of. */
  atSecondAttempt: string[];
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[];
}

export function readResults(json: string): TestResults {
  const report = JSON.parse(json) as Report;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    pending: report.numPendingTests,
    atSecondAttempt: tests
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ fullName, failureMessages }) => `${fullName} (${failureMessages[0]!.split('\n', 1)[0]})`),
  };
}
