// Ends a start with settings that cannot be, with all of them told, before anything is built or opened.
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
