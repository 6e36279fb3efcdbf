// Ends a start with invalid settings before anything is built or opened, and prints all problems.
import { type Environment, loadConfig } from '../../config.ts';
import { describeStartFailure } from '../../platform/start-failure.ts';

export function requireSettings(environment: Environment): void {
  try {
    loadConfig(environment);
  } catch (error) {
    console.error(describeStartFailure(error));
    process.exit(1);
  }
}
