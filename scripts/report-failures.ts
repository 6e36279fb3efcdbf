// A reporter for vitest that says at once what failed and why: a long run may be cut off before it comes to its summary.
import type { Reporter, TestCase } from 'vitest/node';

// biome-ignore lint/style/noDefaultExport: vitest takes a file's default, and makes reporters of classes only
export default class FailureReporter implements Reporter {
  onTestCaseResult(testCase: TestCase): void {
    const { state, errors } = testCase.result();
    if (state !== 'failed') return;
    const why = errors.map(({ message, stack }) => [message, ...(stack ?? '').split('\n').slice(1, 4)].join('\n'));
    process.stderr.write(`\nFAILED ${testCase.module.moduleId}: ${testCase.fullName}\n${why.join('\n')}\n`);
  }
}
