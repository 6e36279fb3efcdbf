// Starts members of a cluster again when they have ended, as a supervisor does, and says so.
import type { Member } from './processes.ts';

/** Looks once at each of them. */
export async function keepRunning(members: readonly Member[], tell: (sentence: string) => void): Promise<void> {
  for (const member of members.filter((one) => !one.isRunning())) {
    tell(`${member.name} has ended (${member.logFile}); starting it again …`);
    try {
      await member.start();
      tell(`${member.name} runs again.`);
    } catch (error) {
      tell((error as Error).message);
    }
  }
}
