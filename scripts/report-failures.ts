// A vitest reporter that prints failures immediately, because a long run may be interrupted before
// its summary.
import type { Reporter, TestCase } from 'vitest/node';

// biome-ignore lint/style/noDefaultExport: vitest takes a file's default, and makes reporters of classes only
export default class FailureReporter implements Reporter {
  onTestCaseResult(testCase: TestCase): void {
    const { state, errors } = testCase.result();
    if (state !== 'failed') return;
    const why = errors.map(({ message, stack, cause }) => {
      const because = cause === undefined ? [] : [`because of ${describeCause(cause)}`];
      return [message, ...because, ...(stack ?? '').split('\n').slice(1, 6)].join('\n');
    });
    process.stderr.write(`\nFAILED ${testCase.module.moduleId}: ${testCase.fullName}\n${why.join('\n')}\n`);
  }
}

/** `fetch failed` is meaningless without its cause. */
function describeCause(cause: unknown): string {
  const { message, code, cause: deeper } = cause as { message?: string; code?: string; cause?: unknown };
  const own = [code, message ?? String(cause)].filter(Boolean).join(' ');
  return deeper === undefined ? own : `${own}, because of ${describeCause(deeper)}`;
}
